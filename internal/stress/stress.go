// Package stress is the mode in which `sluice test --stress` runs tests: completions are late and
// out of order, reads are short, operations are interrupted, and the page cache loses what it had.
// A program has this package only if it is built with the tag sluice_stress, and the mode is on
// only if the environment has a seed:
//
//	SLUICE_STRESS=7                   # with seed 7
//	SLUICE_STRESS=7,short-reads       # and os.File.Read may return fewer bytes than there are
//	SLUICE_STRESS_COUNTS=FILE         # a line of counts is added to FILE when the program ends
//
// Package disturb decides on the operations that drivers perform, and this package on plain calls.
//
// # Concurrency
//
// Any goroutine may call all functions and methods at any time.
package stress

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/disturb"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
)

// The variables of the environment.
const (
	Variable       = "SLUICE_STRESS"
	CountsVariable = "SLUICE_STRESS_COUNTS"
)

// ShortReads is the word in Variable that allows short Reads.
const ShortReads = "short-reads"

// How operations are disturbed. A program's tests are mostly reads one after the other, so a
// completion is late by a fifth of a millisecond on average.
const (
	longest     = 4 * time.Millisecond
	longestCall = longest / 16 // of a plain call: it holds a permit
	calls       = 1.0 / 16     // the fraction of plain calls that are late
	short       = 1.0 / 8
	interrupted = 1.0 / 32
	dropped     = 1.0 / 4
	shortReads  = 1.0 / 8
)

// Mode is what the environment asks for.
type Mode struct {
	seed       uint64
	shortReads bool
	done       disturb.Counts
	drivers    atomic.Uint64 // how many there are
	calls      atomic.Uint64 // plain calls so far
	reads      atomic.Uint64 // Reads so far
	shortened  atomic.Int64
}

// Environment returns the mode, or nil if the environment asks for none. A wrong value is reported
// on standard error, once.
var Environment = sync.OnceValue(func() *Mode {
	value := os.Getenv(Variable)
	if value == "" {
		return nil
	}
	m, err := Parse(value)
	if err != nil {
		fmt.Fprintf(os.Stderr, "sluice: no stress: SLUICE_STRESS=%q: %v\n", value, err)
		return nil
	}
	return m
})

// Value returns the value of Variable.
func Value(seed uint64, short bool) string {
	if short {
		return fmt.Sprintf("%d,%s", seed, ShortReads)
	}
	return strconv.FormatUint(seed, 10)
}

// Parse returns the mode for a value of Variable.
func Parse(value string) (*Mode, error) {
	text, word, more := strings.Cut(value, ",")
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || more && word != ShortReads {
		return nil, fmt.Errorf("not a seed; want a number, and perhaps %q after it", ","+ShortReads)
	}
	return &Mode{seed: seed, shortReads: more}, nil
}

// InFront returns a driver in front of drv that disturbs its operations. Each driver has its own
// seed, which follows from that of the mode.
func (m *Mode) InFront(drv driver.Driver) driver.Driver {
	return disturb.New(drv, disturb.Options{
		Seed: m.seed + m.drivers.Add(1), Longest: longest, Short: short, Interrupted: interrupted,
		Dropped: dropped, Drop: drop, Counts: &m.done,
	})
}

// drop asks the page cache to drop n bytes at off, or the whole file if n is 0. Dirty pages stay.
func drop(fd int, off, n int64) {
	const doNotNeed = 4
	_ = sys.Advise(fd, off, n, doNotNeed) // an error does no harm: this is only advice
}

// Delay returns what makes plain calls with next, some of them late. A late call returns late: it
// was made before.
func (m *Mode) Delay(next iopath.Caller) iopath.Caller {
	return func(code driver.Code, fd int, b []byte, off int64) int32 {
		res := next(code, fd, b, off)
		n := m.calls.Add(1)
		if r := m.draw(1, n); r.fraction()/disturb.Share(n) < calls {
			time.Sleep(time.Duration(r.fraction() * float64(longestCall)))
		}
		return res
	}
}

// Portion returns the part of p that a Read at the position asks for: all of it, or less.
func (m *Mode) Portion(p []byte) []byte {
	if !m.shortReads || len(p) < 2 {
		return p
	}
	r := m.draw(2, m.reads.Add(1))
	if r.fraction() >= shortReads {
		return p
	}
	m.shortened.Add(1)
	return p[:1+int(r.fraction()*float64(len(p)-1))]
}

// draws are random numbers. Unlike a rand.Rand they are no allocation: some tests count these.
type draws struct{ source rand.PCG }

// draw returns the random numbers for event number n of a kind.
func (m *Mode) draw(kind, n uint64) (r draws) {
	r.source.Seed(m.seed, kind<<56|n)
	return r
}

// fraction returns a number from 0 to 1, but not 1.
func (r *draws) fraction() float64 { return float64(r.source.Uint64()>>11) / (1 << 53) }
