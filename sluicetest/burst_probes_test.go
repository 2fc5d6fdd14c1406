//go:build sluice_probes

package sluicetest

import (
	"runtime"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/probe"
)

// giveWay makes goroutines yield at random, until stop is called.
func giveWay(seed uint64) (stop func()) {
	probe.Set(&yields{seed: seed, one: 1 << (seed % 6)})
	return func() { probe.Set(nil) }
}

// yields is a probe that yields before some of the accesses, now and then for long.
type yields struct {
	seed  uint64
	one   uint64 // yields before one access in so many
	steps atomic.Uint64
}

func (y *yields) Step() {
	h := (y.steps.Add(1) + y.seed<<32) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	h ^= h >> 32
	if h%y.one != 0 {
		return
	}
	turns := 1
	if h>>8%4 == 0 {
		turns = 1 << (h >> 16 % 6)
	}
	for range turns {
		runtime.Gosched()
	}
}

func (y *yields) Wait(func() bool) { y.Step() }
func (y *yields) Saw(any)          {}
