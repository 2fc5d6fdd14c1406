package cp

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice/bench/bytesize"
	"github.com/sluiceio/sluice/copytree"
)

// settings are the values of the flags, before they are combined into
// copytree.Options.
type settings struct {
	operands []string

	recursive, copyContents      bool
	follow                       follow
	preserve                     copytree.Preserve
	required                     copytree.Preserve // named by --preserve
	noMode                       bool              // --no-preserve=mode
	hardLink, symLink, attrsOnly bool
	force, remove, interactive   bool
	noClobber                    bool
	update                       copytree.Existing
	reflink                      copytree.Reflink
	sparse                       copytree.Sparse
	oneFileSystem                bool

	backup       bool
	control      *string // the value of --backup
	suffix       string
	parents      bool
	stripSlashes bool
	target       *string // -t
	noTarget     bool    // -T
	context      *string // of --context=CTX
	verbose      bool

	progress    *bool // nil: only on a terminal
	sync        copytree.Sync
	verify      bool
	resume      bool
	dryRun      bool
	concurrency int
	blockSize   bytesize.Size
	stats       bool
	json        string // a file's name, - for stdout

	help, version bool
}

// follow is copytree.Follow, or that no flag was given.
type follow uint8

const (
	followUnsaid follow = iota
	followNone
	followArguments
	followAll
)

// check refuses flags that contradict each other.
func (s *settings) check() error {
	switch {
	case s.hardLink && s.symLink:
		return usage("cannot make both hard and symbolic links")
	case s.backup && (s.noClobber || s.update == copytree.Skip || s.update == copytree.SkipFail):
		return usage("--backup is mutually exclusive with -n or --update=none-fail")
	case s.reflink == copytree.ReflinkAlways && s.sparse != copytree.SparseAuto:
		return usage("--reflink can be used only with --sparse=auto")
	case s.attrsOnly && s.verify:
		return usage("--verify compares data, and --attributes-only copies none")
	case s.required&copytree.PreserveContext != 0 && !hasSELinux():
		return errors.New("cannot preserve security context without an SELinux-enabled kernel")
	case s.context != nil && hasSELinux():
		return errors.New("-Z and --context are not supported on an SELinux-enabled kernel; " +
			"--preserve=context keeps the source's, restorecon(8) sets the default")
	}
	return nil
}

// options returns the settings as copytree.Options, without the hooks.
func (s *settings) options() copytree.Options {
	o := copytree.Options{
		Preserve: s.preserve, Require: s.require(), Follow: s.following(), Make: s.make(), Existing: s.existing(),
		Reflink: s.reflink, Sparse: s.sparse, Files: !s.recursive, OneFileSystem: s.oneFileSystem,
		// Without -r the content of a FIFO or device is copied, as in cp /dev/stdin f.
		CopyContents: s.copyContents || !s.recursive,
		Unlink:       s.remove,
		Force:        s.force,
		Sync:         s.sync, Verify: s.verify, Resume: s.resume, DryRun: s.dryRun,
		BlockSize: int(s.blockSize), Concurrency: s.concurrency,
	}
	if s.noMode {
		o.Preserve |= copytree.NoMode
	}
	if !hasSELinux() {
		o.Preserve &^= copytree.PreserveContext
	}
	return o
}

// require returns the attributes of which it is an error if they cannot be preserved:
// the owner only as root, extended attributes and contexts only if --preserve names
// them.
func (s *settings) require() copytree.Preserve {
	named := s.required & (copytree.PreserveXattr | copytree.PreserveContext)
	always := copytree.PreserveMode | copytree.PreserveTimes | copytree.PreserveLinks
	if os.Geteuid() == 0 {
		always |= copytree.PreserveOwner
	}
	return s.preserve & (named | always)
}

func (s *settings) following() copytree.Follow {
	switch {
	case s.follow == followNone, s.follow == followUnsaid && s.recursive && !s.hardLink:
		return copytree.FollowNone
	case s.follow == followArguments:
		return copytree.FollowArguments
	}
	return copytree.FollowAll
}

func (s *settings) make() copytree.Make {
	switch {
	case s.hardLink:
		return copytree.MakeHardLink
	case s.symLink:
		return copytree.MakeSymlink
	case s.attrsOnly:
		return copytree.MakeAttributes
	}
	return copytree.MakeCopy
}

func (s *settings) existing() copytree.Existing {
	if s.noClobber && s.update != copytree.SkipFail {
		return copytree.Skip
	}
	return s.update
}
