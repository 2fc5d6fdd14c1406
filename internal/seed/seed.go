// Package seed gives random tests their seeds.
package seed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// env names the environment variable that fixes every test's seed.
const env = "SLUICE_SEED"

// Of returns the seed of t: SLUICE_SEED if it is set, as it is in CI, where
// one commit shall get one answer; one drawn at random otherwise. A test that
// fails says how to run it again with the same.
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
