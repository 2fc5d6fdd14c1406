package gnucp

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// settings are the values of the flags, before they are combined into
// option.Options.
type settings struct {
	operands []string

	recursive, copyContents      bool
	follow                       follow
	preserve                     option.Preserve
	required                     option.Preserve // named by --preserve
	noMode                       bool            // --no-preserve=mode
	hardLink, symLink, attrsOnly bool
	force, remove, interactive   bool
	noClobber                    bool
	update                       option.Existing
	reflink                      option.Reflink
	sparse                       option.Sparse
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
	sync        option.Sync
	verify      bool
	resume      bool
	dryRun      bool
	concurrency int
	blockSize   int64 // bytes
	stats       bool
	json        string // a file's name, - for stdout

	help, version bool
}

// follow is an option.Follow, or unset if no flag was given.
type follow uint8

const (
	followUnsaid follow = iota
	followNone
	followArguments
	followAll
)

// check refuses contradictory flags.
func (s *settings) check() error {
	switch {
	case s.hardLink && s.symLink:
		return usage("cannot make both hard and symbolic links")
	case s.backup && (s.noClobber || s.update == option.Skip || s.update == option.SkipFail):
		return usage("--backup is mutually exclusive with -n or --update=none-fail")
	case s.reflink == option.ReflinkAlways && s.sparse != option.SparseAuto:
		return usage("--reflink can be used only with --sparse=auto")
	case s.attrsOnly && s.verify:
		return usage("--verify compares data, and --attributes-only copies none")
	case s.required&option.PreserveContext != 0 && !hasSELinux():
		return errors.New("cannot preserve security context without an SELinux-enabled kernel")
	case s.context != nil && hasSELinux():
		return errors.New("-Z and --context are not supported on an SELinux-enabled kernel; " +
			"--preserve=context keeps the source's, restorecon(8) sets the default")
	}
	return nil
}

// options returns the settings as option.Options, without the hooks.
func (s *settings) options() option.Options {
	o := option.Options{
		Preserve: s.preserve, Require: s.require(), Follow: s.following(), Make: s.make(), Existing: s.existing(),
		Reflink: s.reflink, Sparse: s.sparse, Files: !s.recursive, OneFileSystem: s.oneFileSystem,
		// Without -r, cp copies the content of a FIFO or device, as in cp /dev/stdin f.
		CopyContents: s.copyContents || !s.recursive,
		Unlink:       s.remove,
		Force:        s.force,
		Sync:         s.sync, Verify: s.verify, Resume: s.resume, DryRun: s.dryRun,
		BlockSize: int(s.blockSize), Concurrency: s.concurrency,
	}
	if s.noMode {
		o.Preserve |= option.NoMode
	}
	if !hasSELinux() {
		o.Preserve &^= option.PreserveContext
	}
	return o
}

// require returns the attributes that must be preserved, so that a failure is an error. The owner
// is required only as root. Extended attributes and contexts are required only if --preserve names
// them.
func (s *settings) require() option.Preserve {
	named := s.required & (option.PreserveXattr | option.PreserveContext)
	always := option.PreserveMode | option.PreserveTimes | option.PreserveLinks
	if os.Geteuid() == 0 {
		always |= option.PreserveOwner
	}
	return s.preserve & (named | always)
}

func (s *settings) following() option.Follow {
	switch {
	case s.follow == followNone, s.follow == followUnsaid && s.recursive && !s.hardLink:
		return option.FollowNone
	case s.follow == followArguments:
		return option.FollowArguments
	}
	return option.FollowAll
}

func (s *settings) make() option.Make {
	switch {
	case s.hardLink:
		return option.MakeHardLink
	case s.symLink:
		return option.MakeSymlink
	case s.attrsOnly:
		return option.MakeAttributes
	}
	return option.MakeCopy
}

func (s *settings) existing() option.Existing {
	if s.noClobber && s.update != option.SkipFail {
		return option.Skip
	}
	return s.update
}
