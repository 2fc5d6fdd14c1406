// Package drivertest is the test suite that every driver.Driver must pass. It checks that all
// drivers return the same in the same situation.
//
//	func TestPool(t *testing.T) {
//		drivertest.Run(t, func(t testing.TB, depth int) driver.Driver {
//			p, err := pool.New(pool.Options{Depth: depth})
//			if err != nil {
//				t.Fatal(err)
//			}
//			return p
//		})
//	}
//
// The result of no test depends on the clock. A test that hangs is ended after two minutes, with
// the stacks of all goroutines. Random tests print their seed; the environment variable SLUICE_SEED
// replays one.
//
// # Concurrency
//
// A driver must leave no goroutine and no descriptor behind. The suite compares the process before
// and after to find any. So nothing else may run at the same time: the caller must not call
// t.Parallel.
package drivertest

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// Suite has the driver and the files for the tests.
type Suite struct {
	// Open returns a new driver with room for at least depth operations in flight; its Info has the
	// exact number. The suite closes it.
	Open func(t testing.TB, depth int) driver.Driver

	// Create makes a file with these contents for d, a driver that Open has returned. Nil means
	// files of the operating system, in a temporary directory. Only then do the tests run that need
	// the system's files (directories, pipes, O_DIRECT).
	Create func(t testing.TB, d driver.Driver, data []byte) File
}

// File is a file for the tests.
type File interface {
	// FD returns the descriptor for Op.FD. It is valid until the test ends.
	FD() int32
	// Contents returns the file's present contents.
	Contents(t testing.TB) []byte
}

// Run runs all tests on drivers that open returns, with files of the system.
func Run(t *testing.T, open func(t testing.TB, depth int) driver.Driver) {
	Suite{Open: open}.Run(t)
}

// Run runs the tests.
func (s Suite) Run(t *testing.T) {
	groups := [][]test{transferTests, queueTests, reapTests, cancelTests, closeTests, loadTests, modelTests, registrarTests}
	if s.Create == nil {
		s.Create = createSystemFile
		groups = append(groups, systemTests)
	}
	for _, group := range groups {
		for _, tt := range group {
			t.Run(tt.name, func(t *testing.T) {
				r := newRig(t, s, tt.depth)
				defer r.end()
				tt.run(r)
			})
		}
	}
}

// test is one test of the suite. It runs on a new driver with that depth.
type test struct {
	name  string
	depth int
	run   func(r *rig)
}
