// Package skip skips tests. Each skip has a [Reason] of a closed list:
//
//	ring, err := uring.New(uring.Options{})
//	if err != nil {
//		skip.For(t, skip.Uring, err)
//	}
//
// On a machine with io_uring, a defect that makes all tests of io_uring skip must not let the run
// pass. With SLUICE_REQUIRE=uring,root, tests that would be skipped for these reasons fail. The
// command machine, in this folder, prints a machine's features.
//
// With SLUICE_SKIPS=FILE, each skip appends a line to the file, which must exist. The command
// summary, in this folder, makes a table of it.
package skip

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Environment variables of this package.
const (
	RequireEnv = "SLUICE_REQUIRE" // names of Reasons, separated by commas: tests fail instead
	FileEnv    = "SLUICE_SKIPS"   // a file that gets a line for each skip
)

// For skips a test or benchmark, with a message as by fmt.Sprint. If SLUICE_REQUIRE names the
// reason, the test fails instead. Like t.Skip, it must be called by the goroutine of the test, and
// does not return.
func For(t testing.TB, r Reason, why ...any) {
	t.Helper()
	end(t, r, fmt.Sprint(why...))
}

// Forf is For with a format.
func Forf(t testing.TB, r Reason, format string, why ...any) {
	t.Helper()
	end(t, r, fmt.Sprintf(format, why...))
}

// ForDriver is For with an error from making driver "uring" or "aio". Every system has the other
// drivers: for them the test fails.
//
// A ring's memory counts against RLIMIT_MEMLOCK before Linux 5.12, and from 6.14 on. All processes
// of a user share that limit, so a test may find no memory although the machine has io_uring. Root
// has no such limit.
func ForDriver(t testing.TB, driver string, err error) {
	t.Helper()
	switch {
	case driver != Uring.name && driver != AIO.name:
		t.Fatalf("driver %q: %v", driver, err)
	case errors.Is(err, syscall.ENOMEM) && os.Getuid() != 0:
		For(t, Limits, driver, ": ", err)
	case driver == AIO.name:
		For(t, AIO, err)
	default:
		For(t, Uring, err)
	}
}

// Named skips a test for the reason that text names, followed by a colon and a message. Child
// processes and scripts print this text when they cannot go on.
func Named(t testing.TB, text string) {
	t.Helper()
	name, why, _ := strings.Cut(text, ":")
	i := slices.IndexFunc(reasons, func(r Reason) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("skip %q: it does not begin with a reason: %s", text, names(func(Reason) bool { return true }))
	}
	end(t, reasons[i], strings.TrimSpace(why))
}

func end(t testing.TB, r Reason, why string) {
	t.Helper()
	if err := refused(r, why); err != nil {
		t.Fatal(err)
	}
	if err := note(t.Name(), r, why); err != nil {
		t.Fatal(err)
	}
	t.Skipf("%s: %s", r, why)
}

// refused returns an error if SLUICE_REQUIRE names the reason, or something that it may not name.
func refused(r Reason, why string) error {
	if !slices.Contains(reasons, r) {
		panic("skip: a Reason that is not in the list")
	}
	required, err := parse(os.Getenv(RequireEnv))
	if err != nil {
		return err
	}
	if slices.Contains(required, r) {
		return fmt.Errorf("this test would be skipped, but %s requires %s (%s): %s", RequireEnv, r, r.means, why)
	}
	return nil
}

// note appends a line about a skipped test to the file in SLUICE_SKIPS, if it is set. The line has
// the reason, its meaning, the package, the test, and the message, separated by tabs.
func note(test string, r Reason, why string) error {
	name := os.Getenv(FileEnv)
	if name == "" {
		return nil
	}
	// Without O_CREATE: a test with other rights must not make a file to which others cannot
	// append.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", FileEnv, err)
	}
	line := strings.Join([]string{r.name, r.means, pkg(), test, strings.Join(strings.Fields(why), " ")}, "\t")
	// One write, because other processes append, too.
	if _, err := f.WriteString(line + "\n"); err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: %w", FileEnv, err)
	}
	return f.Close()
}

// pkg returns the package of the test binary.
func pkg() string {
	name := filepath.Base(os.Args[0])
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		name = info.Path
	}
	return strings.TrimPrefix(strings.TrimSuffix(name, ".test"), "github.com/sluiceio/sluice/")
}
