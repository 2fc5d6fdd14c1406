package experiments

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/report"
)

// The names of the programs that others are compared with.
const (
	sluiceCP = "sluice cp"
	gnuCP    = "cp -r"
)

// CopyPrograms are the names that --programs takes, first words of those in
// tables.
var CopyPrograms = []string{"sluice", "cp", "xcp", "fcp", "cpz", "otiai10", "rsync", "floor"}

func firstWord(name string) string { return strings.Fields(name)[0] }

// named is a program that copies, without a path: the system's own.
func named(name string, args ...string) copies.Contender {
	return copies.Contender{
		Name: name, Argv: append([]string{firstWord(name)}, args...), Version: []string{"--version"},
	}
}

// self is this program, with another command.
func (p Params) self(name, command string, args ...string) copies.Contender {
	return copies.Contender{
		Name: name, Exe: p.Self.Exe, Argv: append([]string{p.Self.Name, command}, args...), Version: []string{"version"},
	}
}

// peers are programs of others, and a library.
func (p Params) peers() []copies.Contender {
	rsync := named("rsync -a", "-a")
	rsync.Contents = true
	return []copies.Contender{named("xcp", "-r", "--no-progress"), named("fcp"), named("cpz"), p.self("otiai10 x 8", "otiai10", "--workers=8"), rsync}
}

// reflinks reports whether the file systems of that kind share data between
// files.
func reflinks(kind string) bool { return slices.Contains([]string{"xfs", "btrfs", "bcachefs"}, kind) }

// hot are the programs that copy without making anything durable.
func hot(p Params, kind string) []copies.Contender {
	return p.lineup(kind, p.self("floor x 2", "floor", "--threads", "2"))
}

// settled are the same, followed by syncfs, which sluice does itself. A floor
// that waits for the disk needs more threads.
func settled(p Params, kind string) []copies.Contender {
	return p.lineup(kind, p.self("floor x 16", "floor", "--threads", "16"), "--sync=fs")
}

// lineup are cp, sluice with the options, other programs, and a floor.
func (p Params) lineup(kind string, floor copies.Contender, options ...string) []copies.Contender {
	all := []copies.Contender{named(gnuCP, "-r"), p.sluice(sluiceCP, options...)}
	if reflinks(kind) {
		all = append(all, named("cp --reflink", "-r", "--reflink=always"),
			p.sluice("sluice --reflink", append(options, "--reflink=always")...))
	}
	return append(append(all, p.peers()...), floor)
}

// sharing are the programs that share data instead of copying it.
func sharing(p Params, _ string) []copies.Contender {
	return []copies.Contender{
		named("cp --reflink", "-r", "--reflink=always"),
		p.sluice("sluice --reflink", "--reflink=always"),
		named("xcp --reflink", "-r", "--no-progress", "--reflink=always"),
	}
}

// sluice is `sluice cp -r`.
func (p Params) sluice(name string, options ...string) copies.Contender {
	return p.self(name, "cp", append([]string{"-r"}, options...)...)
}

// inBlocks is `sluice cp -r` with blocks of that size.
func (p Params) inBlocks(size int64, options ...string) copies.Contender {
	return p.sluice("sluice "+report.Bytes(size), append(options, "--block-size="+strconv.FormatInt(size, 10))...)
}

// durable are those that call fsync for each file themselves, and cp -r, whose
// files are synced after it.
func durable(p Params, _ string) []copies.Contender {
	each := []copies.Contender{
		p.sluice(sluiceCP, "--sync=files"),
		named("xcp --fsync", "-r", "--no-progress", "--fsync"),
		named("rsync --fsync", "-a", "--fsync"),
		p.self("floor x 1", "floor", "--threads", "1", "--fsync"),
	}
	for i := range each {
		each[i].Syncs = true
	}
	each[2].Contents = true
	return append([]copies.Contender{named(gnuCP, "-r")}, each...)
}

// chosen leaves those that are installed and, if the user has named any, asked
// for: by the first word of their names. What all are compared with stays.
func (p Params) chosen(all []copies.Contender, place Trees) []copies.Contender {
	return slices.DeleteFunc(slices.Clone(all), func(c copies.Contender) bool {
		word := firstWord(c.Name)
		switch {
		case c.Name == all[0].Name:
			return false
		case len(p.Programs) > 0 && !slices.Contains(p.Programs, word):
			return true
		}
		return !place.Has(c)
	})
}
