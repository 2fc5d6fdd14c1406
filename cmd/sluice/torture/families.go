package main

import "fmt"

// family is a kind of test that has a long form.
type family struct {
	name  string
	pkg   string // the package whose test binary it is
	test  string // the tests, as -test.run takes them
	cells []cell
}

// cell is a part of a family, with its own figure.
type cell struct {
	name string
	runs int      // how many, with a seed each
	args []string // of the test binary
}

// families are all that there are. The tests of a family take their seed from internal/seed, and log a line
// "figure: N operations", or another unit, at their end.
var families = []family{
	{name: "fsx", pkg: "./internal/fsx", test: "^TestFSX$", cells: []cell{
		fsx("memory", 50), // 10 million operations
		fsx("ext4", 10),   // 2 million, as those below
		fsx("xfs", 10),
		fsx("btrfs", 10),
		fsx("ext4 on 4 KiB sectors", 10),
	}},
	{name: "cut", pkg: "./internal/crashlog", test: "^TestCut$", cells: []cell{
		crash("ext4", 20, "^TestCut$/^ext4$", "-crashlog.cuts=500"), // 10,000 cuts each
		crash("xfs", 20, "^TestCut$/^xfs$", "-crashlog.cuts=500"),
	}},
	{name: "replay", pkg: "./internal/crashlog", test: "^TestReplay$", cells: []cell{
		crash("ext4", 50, "^TestReplay$/^ext4$", "-crashlog.states=100"), // 10,000 states in all
		crash("xfs", 50, "^TestReplay$/^xfs$", "-crashlog.states=100"),
	}},
	{name: "kill", pkg: "./internal/crashlog", test: "^TestKill$", cells: []cell{
		crash("all ways to write", 50, "^TestKill$", "-crashlog.kills=100"), // 5,000 kills
	}},
}

// crash is a cell of which each run has tests of its own.
func crash(name string, runs int, tests, much string) cell {
	return cell{name, runs, []string{"-test.run=" + tests, much}}
}

// fsxOps is the number of steps of a run, which takes a minute or two. A few steps in a hundred are no
// operation: they compare the whole file, or find it at its longest.
const fsxOps = 210_000

func fsx(place string, runs int) cell {
	return cell{place, runs, []string{fmt.Sprint("-fsx.ops=", fsxOps), "-fsx.place=" + place}}
}
