package experiments

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/report"
)

// sluiceCP and gnuCP are programs that others are compared with.
const (
	sluiceCP = "sluice cp"
	gnuCP    = "cp -r"
)

// CopyPrograms are the names that --programs accepts. A name is the first word of a program's name
// in the tables.
var CopyPrograms = []string{"sluice", "cp", "xcp", "fcp", "cpz", "otiai10", "rsync", "floor"}

func firstWord(name string) string { return strings.Fields(name)[0] }

// systemProgram returns a program that is looked up in PATH.
func systemProgram(name string, args ...string) copies.Contender {
	return copies.Contender{
		Name: name, Argv: append([]string{firstWord(name)}, args...), Version: []string{"--version"},
	}
}

// ownProgram returns this program with one of its commands.
func (p Params) ownProgram(name, command string, args ...string) copies.Contender {
	return copies.Contender{
		Name: name, Exe: p.Self.Exe, Argv: append([]string{p.Self.Name, command}, args...), Version: []string{"version"},
	}
}

// otherPrograms returns the programs of other authors, and a library.
func (p Params) otherPrograms() []copies.Contender {
	rsync := systemProgram("rsync -a", "-a")
	rsync.Contents = true
	return []copies.Contender{systemProgram("xcp", "-r", "--no-progress"), systemProgram("fcp"), systemProgram("cpz"), p.ownProgram("otiai10 x 8", "otiai10", "--workers=8"), rsync}
}

// reflinks reports whether file systems of this kind can share data between files.
func reflinks(kind string) bool { return slices.Contains([]string{"xfs", "btrfs", "bcachefs"}, kind) }

// unsyncedPrograms returns the programs for copies that are not made durable.
func unsyncedPrograms(p Params, kind string) []copies.Contender {
	return p.allPrograms(kind, p.ownProgram("floor x 2", "floor", "--threads", "2"))
}

// syncfsPrograms returns the same programs for copies that syncfs makes durable. sluice calls
// syncfs itself. The floor has more threads because they wait for the disk.
func syncfsPrograms(p Params, kind string) []copies.Contender {
	return p.allPrograms(kind, p.ownProgram("floor x 16", "floor", "--threads", "16"), "--sync=fs")
}

// allPrograms returns cp, sluice with the options, the other programs, and the floor.
func (p Params) allPrograms(kind string, floor copies.Contender, options ...string) []copies.Contender {
	all := []copies.Contender{systemProgram(gnuCP, "-r"), p.sluice(sluiceCP, options...)}
	if reflinks(kind) {
		all = append(all, systemProgram("cp --reflink", "-r", "--reflink=always"),
			p.sluice("sluice --reflink", append(options, "--reflink=always")...))
	}
	return append(append(all, p.otherPrograms()...), floor)
}

// reflinkPrograms returns the programs that share data instead of copying it.
func reflinkPrograms(p Params, _ string) []copies.Contender {
	return []copies.Contender{
		systemProgram("cp --reflink", "-r", "--reflink=always"),
		p.sluice("sluice --reflink", "--reflink=always"),
		systemProgram("xcp --reflink", "-r", "--no-progress", "--reflink=always"),
	}
}

// sluice returns `sluice cp -r` with the options.
func (p Params) sluice(name string, options ...string) copies.Contender {
	c := p.ownProgram(name, "cp", append([]string{"-r"}, options...)...)
	if p.Command != "" {
		c.Exe, c.Argv[0] = p.Command, "sluice"
	}
	return c
}

// inBlocks returns `sluice cp -r` with this block size.
func (p Params) inBlocks(size int64, options ...string) copies.Contender {
	return p.sluice("sluice "+report.Bytes(size), append(options, "--block-size="+strconv.FormatInt(size, 10))...)
}

// fsyncPrograms returns the programs that call fsync for each file, and cp -r followed by an fsync
// of each file.
func fsyncPrograms(p Params, _ string) []copies.Contender {
	each := []copies.Contender{
		p.sluice(sluiceCP, "--sync=files"),
		systemProgram("xcp --fsync", "-r", "--no-progress", "--fsync"),
		systemProgram("rsync --fsync", "-a", "--fsync"),
		p.ownProgram("floor x 1", "floor", "--threads", "1", "--fsync"),
	}
	for i := range each {
		each[i].Syncs = true
	}
	each[2].Contents = true
	return append([]copies.Contender{systemProgram(gnuCP, "-r")}, each...)
}

// chosen returns the installed programs. If the user named programs, it keeps only those and the
// first, with which the rest is compared.
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
