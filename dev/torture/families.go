package main

import (
	"fmt"
	"strings"
)

// family is a kind of test with a long form.
type family struct {
	name  string
	pkg   string // the package of the test binary
	test  string // the tests, for -test.run
	tags  string // build tags of the test binary
	built bool   // `sluice test` builds the test binary
	cells []cell
}

// cell is a part of a family, with its own figure.
type cell struct {
	name string
	runs int      // the number of runs, each with a seed
	args []string // of the test binary
	env  []string // in addition to this process's
}

// families has all families. The tests of a family take their seed from internal/test/seed. At
// their end they log a line "figure: N operations", or with another unit.
var families = []family{
	{name: "fsx", pkg: "./internal/test/fsx", test: "^TestFSX$", cells: []cell{
		fsx("memory", 50), // 10 million operations
		fsx("ext4", 10),   // 2 million, like those below
		fsx("xfs", 10),
		fsx("btrfs", 10),
		fsx("ext4 on 4 KiB sectors", 10),
	}},
	{name: "cut", pkg: "./internal/test/crashlog", test: "^TestCut$", cells: []cell{
		some("ext4", 20, "^TestCut$/^ext4$", "-crashlog.cuts=500"), // 10,000 cuts each
		some("xfs", 20, "^TestCut$/^xfs$", "-crashlog.cuts=500"),
	}},
	{name: "pebble", pkg: "./integrations/pebblevfs", test: "^TestCut$", cells: []cell{
		some("ext4", 100, "^TestCut$/^ext4$", "-pebble.cuts=100"), // 10,000 cuts each
		some("xfs", 100, "^TestCut$/^xfs$", "-pebble.cuts=100"),
	}},
	{name: "replay", pkg: "./internal/test/crashlog", test: "^TestReplay$", cells: []cell{
		// 10,000 states each. A device gets 300 to 550 requests: the states of a run are all
		// prefixes of them, and sampled ones.
		some("ext4", 16, "^TestReplay$/^ext4$", "-crashlog.states=625"),
		some("xfs", 16, "^TestReplay$/^xfs$", "-crashlog.states=625"),
	}},
	{name: "kill", pkg: "./internal/test/crashlog", test: "^TestKill$", cells: []cell{
		some("all ways to write", 50, "^TestKill$", "-crashlog.kills=100"), // 5,000 kills
	}},
	{name: "sim", pkg: "./sluicetest", test: "^TestWorlds$", cells: []cell{
		// 100,000 worlds.
		some("worlds", 100, "^TestWorlds$", "-sim.worlds=1000", "-sim.stride=1000"),
	}},
	{name: "bursts", pkg: "./sluicetest", test: "^TestBursts$", tags: "sluice_probes", cells: []cell{
		// 50,000 worlds.
		some("narrow worlds", 50, "^TestBursts$", "-sim.bursts=1000", "-sim.stride=1000"),
	}},
	// A million interleavings on a throttled device. The library poisons the memory of released
	// Buffers.
	{name: "close", pkg: "./internal/test/lifetime", test: "^TestLifetime$", tags: "sluicedebug", cells: []cell{
		lifetime("slow", 4),
		lifetime("slow", 2, "GOGC=1"),
		lifetime("slow", 1, "GODEBUG=asyncpreemptoff=1"),
		lifetime("slow", 1, "GOGC=10", "GODEBUG=clobberfree=1,invalidptr=1"),
		lifetime("slow", 1, "GODEBUG=gccheckmark=1"),
		lifetime("slow", 1, "GOGC=20", "GODEBUG=gcstoptheworld=1"),
		lifetime("disk", 2),
		lifetime("memory", 2),
	}},
	{name: "starved", pkg: "./internal/test/starved", test: "^Test", cells: []cell{
		some("full disks and quotas", 3, "^TestFull$", "-starved.places=all", "-starved.full=2"),
		some("100,000 goroutines", 2, "^TestManyGoroutines$", "-starved.goroutines=100000"),
		some("a queue of one", 2, "^TestQueueOfOne$", "-starved.goroutines=100000"),
		some("few descriptors", 3, "^TestFewDescriptors$"),
		some("SIGSTOP", 3, "^TestStopped$", "-starved.stops=300"),
	}},
	{name: "frozen", pkg: "./internal/test/starved", test: "^Test", cells: []cell{
		some("1 to 8 devices", 10, "^TestFrozenLatency$", "-starved.frozen=1,2,3,4,5,6,7,8", "-starved.judge"),
	}},
	// Processes in the middle of I/O: system calls are refused, descriptors closed or given to
	// other files.
	{name: "taken", pkg: "./internal/test/seccomp", test: "^TestTakenAway$", cells: []cell{{name: "while in use", runs: 20}}},
	// The tests of all packages of the library.
	{name: "refused", pkg: "./internal/test/refused", test: "^TestRefused$", cells: []cell{
		refused("uring EPERM"), refused("uring ENOSYS"), refused("uring_setup EPERM"), refused("uring_enter EPERM"),
		refused("aio EPERM"), refused("aio ENOSYS"), refused("uring aio EPERM"), refused("uring aio ENOSYS"),
	}},
	{name: "soak", pkg: "./internal/test/soak", test: "^TestSoak$", cells: []cell{
		{"all drivers, ext4", 1, []string{"-soak.for=4h", "-soak.place=ext4"}, nil},
	}},
	{name: "kernels", pkg: "./dev/kernels", test: "^TestKernel$", cells: []cell{
		kernel("5.10"), kernel("6.1"), kernel("6.12"), kernel("6.12-arm64"),
	}},
	{name: "lost-syncs", pkg: "./internal/test/lostsyncs", test: "^Test", cells: []cell{
		lostSyncs("ext4"), lostSyncs("xfs"), lostSyncs("btrfs"),
	}},
	{name: "copytree-lost-syncs", pkg: "./copytree/internal/test/lostsyncs", test: "^Test", cells: []cell{
		lostSyncs("ext4"), lostSyncs("xfs"), lostSyncs("btrfs"),
	}},
	// The files of package os in a program built by `sluice build`, on these disks.
	{name: "lost-syncs-built", pkg: "./internal/test/lostsyncs", test: "^TestLostSyncs$", built: true, cells: []cell{
		lostSyncsBuilt("ext4", "uring"), lostSyncsBuilt("ext4", "aio"), lostSyncsBuilt("ext4", "pool"),
		lostSyncsBuilt("xfs", "uring"), lostSyncsBuilt("xfs", "aio"), lostSyncsBuilt("xfs", "pool"),
		lostSyncsBuilt("btrfs", "uring"), lostSyncsBuilt("btrfs", "aio"), lostSyncsBuilt("btrfs", "pool"),
	}},
	// Random trees and command lines of cp, beside GNU cp.
	{name: "cp", pkg: "./cmd/sluice/sluice-tools", test: "^TestCpFuzz$", cells: []cell{
		cpFuzz("memory", 40), // 40,000 commands
		cpFuzz("ext4", 20),   // 20,000, like those below
		cpFuzz("xfs", 20),
		cpFuzz("btrfs", 20),
	}},
	{name: "faults", pkg: "./internal/test/faults", test: "^TestSweep$", cells: []cell{
		some("all workloads", 1, "^TestSweep$", "-faults.share=1"),
	}},
	{name: "fault-syscalls", pkg: "./internal/test/faults", test: "^TestSyscalls$", cells: []cell{
		some("all workloads", 1, "^TestSyscalls$", "-faults.share=1"),
	}},
	{name: "copytree-faults", pkg: "./copytree/internal/test/faults", test: "^Test", cells: []cell{
		some("operations", 1, "^TestSweep$", "-faults.share=1"),
		some("system calls", 1, "^TestSyscalls$", "-faults.share=1"),
	}},
}

// fsxOps is the number of steps of a run, which takes a minute or two. A few percent of the steps
// are no operation: they compare the whole file, or find it at its longest.
const fsxOps = 210_000

func fsx(place string, runs int) cell {
	return cell{place, runs, []string{fmt.Sprint("-fsx.ops=", fsxOps), "-fsx.place=" + place}, nil}
}

// lifetimeRun is the number of interleavings of a run.
const lifetimeRun = 100_000

func lifetime(place string, runs int, env ...string) cell {
	return cell{
		strings.Join(append([]string{place}, env...), " "), runs,
		[]string{fmt.Sprint("-lifetime.n=", lifetimeRun), "-lifetime.place=" + place},
		env,
	}
}

func refused(by string) cell {
	return cell{by, 1, []string{"-refused.packages=all", "-refused.by=" + by}, nil}
}

// some returns a cell of some of its family's tests.
func some(name string, runs int, test string, args ...string) cell {
	return cell{name, runs, append([]string{"-test.run=" + test}, args...), nil}
}

// cpFuzz returns a cell of runs of 1,000 commands.
func cpFuzz(place string, runs int) cell {
	return cell{place, runs, []string{"-cp.commands=1000", "-cp.place=" + place}, nil}
}

func kernel(name string) cell { return cell{name, 1, []string{"-kernels.name=" + name}, nil} }

// lostSyncs returns a cell of 20 runs of 300 rounds by each driver, which take some minutes each.
func lostSyncs(place string) cell {
	return cell{place, 20, []string{"-lostsyncs.rounds=300", "-lostsyncs.place=" + place}, nil}
}

// lostSyncsBuilt returns a cell of 2 runs of 300 rounds with a driver.
func lostSyncsBuilt(place, driver string) cell {
	c := lostSyncs(place)
	c.args = append(c.args, "-lostsyncs.built", "-lostsyncs.kind=os,os once", "-lostsyncs.driver="+driver)
	return cell{place + ", " + driver, 2, c.args, []string{"SLUICE_DRIVER=" + driver}}
}
