// Package seed has the seeds of random tests.
package seed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// env names the environment variable that fixes every test's seed.
const env = "SLUICE_SEED"

// Of returns the seed for t: SLUICE_SEED if it is set, or a random number. CI sets it, so that the
// result for a commit does not change. A failed test prints how to run it again with the same seed.
func Of(t testing.TB) uint64 {
	t.Helper()
	s := rand.Uint64()
	if v := os.Getenv(env); v != "" {
		var err error
		if s, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatalf("%s: %v", env, err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("replay with %s=%d", env, s)
		}
	})
	return s
}

// Rand returns a generator that starts from t's seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Of(t), 0))
}

// FromBytes returns a generator for a fuzz target. Each two bytes of b make one of its first
// numbers, so that the fuzzer chooses a random test's draws. Later numbers are always the same.
func FromBytes(b []byte) *rand.Rand { return rand.New(&bytesSource{b: b, after: rand.NewPCG(1, 0)}) }

// bytesSource is the source of FromBytes.
type bytesSource struct {
	b     []byte
	after rand.Source
}

// Uint64 repeats the two bytes, because some methods of rand.Rand use the highest bits and some the
// lowest.
func (s *bytesSource) Uint64() uint64 {
	if len(s.b) < 2 {
		return s.after.Uint64()
	}
	v := uint64(s.b[0])<<8 | uint64(s.b[1])
	s.b = s.b[2:]
	return v * 0x0001_0001_0001_0001
}
