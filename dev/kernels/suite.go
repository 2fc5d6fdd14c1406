package main

import "strings"

// suite is the tests of a package that run on each kernel.
type suite struct {
	pkg  string // below the root of the source
	args []string
}

// The tests that depend on the kernel, and tests whose timing changes on a slow machine. Random
// tests are shortened: emulation takes about ten times as long.
var suites = []suite{
	{pkg: "internal/sys"},
	{pkg: "internal/driver"},
	{pkg: "internal/driver/uring"},
	{pkg: "internal/driver/aio"},
	{pkg: "internal/driver/pool"},
	{pkg: "internal/driver/drivertest"},
	{pkg: "internal/driver/fault"},
	{pkg: "internal/driver/sim"},
	{pkg: "internal/ioengine"},
	{pkg: "internal/iopath"},
	{pkg: "internal/budget"},
	{pkg: "internal/groupcommit"},
	{pkg: "internal/qos"},
	{pkg: "internal/handle"},
	{pkg: "internal/buffer"},
	{pkg: "internal/sched"},
	{pkg: "batch"},
	{pkg: "cache"},
	{pkg: "mapped"},
	{pkg: "transparent"},
	{pkg: "direct", args: []string{"-sluice.diff.n=100"}},
	{pkg: "."},
	{pkg: "internal/test/classes"},
	{pkg: "internal/test/closing"},
	{pkg: "internal/test/copies"},
	{pkg: "internal/test/differential", args: []string{"-sluice.diff.n=100"}},
	{pkg: "internal/test/files"},
	{pkg: "internal/test/frozen"},
	{pkg: "internal/test/hazards"},
	{pkg: "internal/test/paths"},
	{pkg: "internal/test/positions"},
	{pkg: "internal/test/schedulers"},
	{pkg: "internal/test/seccomp"},
	{pkg: "internal/test/syncs"},
	{pkg: "internal/test/threads"},
	{pkg: "internal/test/traces"},
	{pkg: "internal/test/fsx", args: []string{"-fsx.ops=20000", "-fsx.place=memory,disk"}},
}

// onSecond are the packages whose tests also run on the second disk, which is xfs.
var onSecond = []string{"internal/driver/uring", "internal/driver/aio"}

// leftOut is tests that do not run, with the reason.
type leftOut struct {
	tests []string // names of tests, without subtests
	why   string
}

var left = []leftOut{
	{[]string{"TestDocumentedFunctions"}, "read documents of the source, which is not there"},
	{[]string{"ExampleFile_OSFile"}, "run the go command, which is not there"},
	{[]string{"TestStreamResident", "TestStreamMemory", "TestReadManyAllocatesNothing"}, "measure memory of the process, for minutes"},
}

// skipPattern returns the value of -test.skip for them.
func skipPattern() string {
	var names []string
	for _, l := range left {
		names = append(names, l.tests...)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
