// Package drivertest is the suite that every driver.Driver passes. It holds
// drivers to one meaning: what one of them answers, each of them answers.
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
// No test decides by the clock. One that hangs is ended, with the stacks of
// all goroutines, after two minutes. Random tests print their seed and replay
// it from the environment variable SLUICE_SEED.
//
// # Concurrency
//
// A driver must leave no goroutine and no descriptor behind, which the suite
// sees by comparing the process before and after. So nothing may run beside
// it: its caller does not call t.Parallel.
package drivertest

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// Suite says what the tests run on.
type Suite struct {
	// Open makes a driver that has at least depth operations in flight; how
	// many exactly is asked of its Info. The suite closes it.
	Open func(t testing.TB, depth int) driver.Driver

	// Create makes a file with these contents for d, a driver that Open
	// made. Nil means files of the system in a temporary directory; tests of
	// what only the system has (directories, pipes, O_DIRECT) run only then.
	Create func(t testing.TB, d driver.Driver, data []byte) File
}

// File is a file that a driver can work on.
type File interface {
	// FD is the descriptor for Op.FD. It is good until the test ends.
	FD() int32
	// Contents is what is in the file now.
	Contents(t testing.TB) []byte
}

// Run runs all tests on drivers that open makes, with files of the system.
func Run(t *testing.T, open func(t testing.TB, depth int) driver.Driver) {
	Suite{Open: open}.Run(t)
}

// Run runs the tests.
func (s Suite) Run(t *testing.T) {
	groups := [][]test{transferTests, queueTests, reapTests, cancelTests, closeTests, loadTests, modelTests, registrarTests}
	if s.Create == nil {
		s.Create = createSystemFile
		groups = append(groups, systemTests, chainTests)
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

// test is one test of the suite, run on a new driver of that depth.
type test struct {
	name  string
	depth int
	run   func(r *rig)
}
