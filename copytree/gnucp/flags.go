package gnucp

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/sluiceio/sluice/internal/text"

	"github.com/sluiceio/sluice/copytree/internal/getopt"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// parse returns the settings of a command line.
func parse(args []string) (*settings, error) {
	s := &settings{}
	_, posix := os.LookupEnv("POSIXLY_CORRECT")
	operands, err := getopt.Parse(args, append(s.gnuFlags(), s.ownFlags()...), posix)
	if bad, ok := errors.AsType[getopt.Error](err); ok {
		return nil, usage(text.Printable(string(bad))) // may be a file's name, as in cp *
	}
	s.operands = operands
	return s, err
}

// maxConcurrency is the largest option.Options.Concurrency.
const maxConcurrency = 1024

// gnuFlags returns the flags of GNU cp, in the order in which GNU cp lists them
// when an abbreviation is ambiguous.
func (s *settings) gnuFlags() []getopt.Option {
	return []getopt.Option{
		{Short: 'a', Long: "archive", Set: s.archive},
		{Long: "attributes-only", Set: on(&s.attrsOnly)},
		{Long: "backup", Arg: getopt.Optional, Set: s.setBackup},
		{Short: 'b', Set: on(&s.backup)},
		{Long: "copy-contents", Set: on(&s.copyContents)},
		{Short: 'L', Long: "dereference", Set: to(&s.follow, followAll)},
		{Short: 'd', Set: func(*string) error {
			s.follow, s.preserve = followNone, s.preserve|option.PreserveLinks
			return nil
		}},
		{Short: 'f', Long: "force", Set: on(&s.force)},
		{Short: 'H', Set: to(&s.follow, followArguments)},
		{Short: 'i', Long: "interactive", Set: func(*string) error { s.interactive, s.noClobber = true, false; return nil }},
		{Short: 'l', Long: "link", Set: on(&s.hardLink)},
		{Short: 'n', Long: "no-clobber", Set: func(*string) error { s.interactive, s.noClobber = false, true; return nil }},
		{Short: 'P', Long: "no-dereference", Set: to(&s.follow, followNone)},
		{Long: "no-preserve", Arg: getopt.Required, Set: s.setNoPreserve},
		{Short: 'T', Long: "no-target-directory", Set: on(&s.noTarget)},
		{Short: 'x', Long: "one-file-system", Set: on(&s.oneFileSystem)},
		{Long: "parents", Set: on(&s.parents)},
		{Long: "preserve", Arg: getopt.Optional, Set: s.setPreserve},
		{Short: 'p', Set: func(*string) error { return s.setPreserve(nil) }},
		{Short: 'R', Long: "recursive", Set: on(&s.recursive)},
		{Short: 'r', Set: on(&s.recursive)},
		{Long: "remove-destination", Set: on(&s.remove)},
		{Long: "sparse", Arg: getopt.Required, Set: oneOf(&s.sparse, "--sparse", sparseWords, 0)},
		{Long: "reflink", Arg: getopt.Optional, Set: oneOf(&s.reflink, "--reflink", reflinkWords, option.ReflinkAlways)},
		{Long: "strip-trailing-slashes", Set: on(&s.stripSlashes)},
		{Short: 'S', Long: "suffix", Arg: getopt.Required, Set: func(v *string) error { s.backup, s.suffix = true, *v; return nil }},
		{Short: 's', Long: "symbolic-link", Set: on(&s.symLink)},
		{Short: 't', Long: "target-directory", Arg: getopt.Required, Set: s.setTarget},
		{Long: "update", Arg: getopt.Optional, Set: oneOf(&s.update, "--update", updateWords, option.Older)},
		{Short: 'u', Set: to(&s.update, option.Older)},
		{Short: 'v', Long: "verbose", Set: on(&s.verbose)},
		{Short: 'Z', Set: func(*string) error { s.context = new(string); return nil }},
		{Long: "context", Arg: getopt.Optional, Set: s.setContext},
		{Long: "help", Set: on(&s.help)},
		{Long: "version", Set: on(&s.version)},
	}
}

// ownFlags returns the flags that GNU cp lacks.
func (s *settings) ownFlags() []getopt.Option {
	yes, no := true, false
	return []getopt.Option{
		{Own: true, Long: "progress", Set: to(&s.progress, &yes)},
		{Own: true, Long: "no-progress", Set: to(&s.progress, &no)},
		{Own: true, Long: "sync", Arg: getopt.Optional, Set: oneOf(&s.sync, "--sync", syncWords, option.SyncFileSystem)},
		{Own: true, Long: "verify", Set: on(&s.verify)},
		{Own: true, Long: "resume", Set: on(&s.resume)},
		{Own: true, Long: "dry-run", Set: on(&s.dryRun)},
		{Own: true, Long: "concurrency", Arg: getopt.Required, Set: s.setConcurrency},
		{Own: true, Long: "block-size", Arg: getopt.Required, Set: s.setBlockSize},
		{Own: true, Long: "stats", Set: on(&s.stats)},
		{Own: true, Long: "json", Arg: getopt.Optional, Set: s.setJSON},
	}
}

func on(flag *bool) func(*string) error { return to(flag, true) }

func to[T any](variable *T, value T) func(*string) error {
	return func(*string) error { *variable = value; return nil }
}

// archive is -a: -dR --preserve=all. It ignores errors of attributes that only some systems and
// users can set.
func (s *settings) archive(*string) error {
	s.recursive, s.follow = true, followNone
	s.preserve |= option.PreserveAll
	return nil
}

func (s *settings) setBackup(control *string) error {
	s.backup = true
	if control != nil {
		s.control = control
	}
	return nil
}

func (s *settings) setTarget(dir *string) error {
	if s.target != nil {
		return errors.New("multiple target directories specified")
	}
	s.target = dir
	return nil
}

func (s *settings) setContext(context *string) error {
	if context == nil {
		context = new(string)
	}
	s.context = context
	return nil
}

func (s *settings) setConcurrency(text *string) error {
	n, err := strconv.Atoi(*text)
	if err != nil || n < 1 || n > maxConcurrency {
		return usage(fmt.Sprintf("--concurrency: %s; want a number of files, from 1 to %d", quote(*text), maxConcurrency))
	}
	s.concurrency = n
	return nil
}

// The bounds of option.Options.BlockSize.
const (
	minBlockSize = 512
	maxBlockSize = 64 << 20 // 64 MiB
)

func (s *settings) setBlockSize(size *string) error {
	n, ok := text.ParseBytes(*size)
	if !ok || n < minBlockSize || n > maxBlockSize {
		return usage(fmt.Sprintf("--block-size: %s; want a number of bytes from 512 to 64m, as in 256k", quote(*size)))
	}
	s.blockSize = n
	return nil
}

func (s *settings) setJSON(name *string) error {
	switch {
	case name == nil:
		s.json = "-"
	case *name == "":
		return usage("--json: the name is empty; want a file, as in --json=out.json")
	default:
		s.json = *name
	}
	return nil
}
