package fsx

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	operations = flag.Int("fsx.ops", 100_000, "operations in each place, of all drivers and kinds together")
	place      = flag.String("fsx.place", "memory", "where the files are: memory, disk, or a file system of its own (ext4, xfs, btrfs, …); several with commas")
	drivers    = flag.String("fsx.driver", strings.Join(testenv.Drivers, ","), "the drivers")
	kindsOf    = flag.String("fsx.kind", strings.Join(kinds, ","), "the ways to use a file")
	most       = flag.Int("fsx.goroutines", 6, "the most goroutines that use a file at once")
)

func TestMain(m *testing.M) { testenv.Main(m) }

// perRound is the number of operations on one file by one Scheduler.
const perRound = 2000

// TestFSX performs random operations on files. The results must be a slice of bytes'.
func TestFSX(t *testing.T) {
	start := seed.Of(t)
	names, ways, where := strings.Split(*drivers, ","), strings.Split(*kindsOf, ","), strings.Split(*place, ",")
	each := max(1, *operations/(len(names)*len(ways)))
	for _, at := range where {
		t.Run(at, func(t *testing.T) {
			dir := testenv.PlaceDir(t, "fsx.place", at, 96<<20) // 96 MiB
			var made atomic.Int64
			defer func() { t.Logf("figure: %d operations", made.Load()) }()
			for _, driver := range names {
				for _, kind := range ways {
					t.Run(driver+"/"+kind, func(t *testing.T) { made.Add(cell(t, start, dir, driver, kind, each)) })
				}
			}
		})
	}
}

// cell performs n operations of one kind on one driver, and returns how many it has begun. The
// round's name is part of its seed, so that it can run alone.
func cell(t *testing.T, start uint64, dir, driver, kind string, n int) (made int64) {
	for i := 0; n > 0 && !t.Failed(); i++ {
		ops := min(n, perRound)
		n -= ops
		t.Run(fmt.Sprint("round", i), func(t *testing.T) {
			hang.Watch(t)
			own := fnv.New64a()
			own.Write([]byte(t.Name()))
			r := rand.New(rand.NewPCG(start, own.Sum64()))
			s := testenv.Scheduler(t, sluice.Options{
				Driver: driver, Depth: []int{0, 0, 2, 8}[r.IntN(4)], Threads: []int{0, 0, 1, 2}[r.IntN(4)],
			})
			goroutines := 1
			small := r.IntN(2) == 0
			if kind != "mixed" && (small || r.IntN(4) > 0) {
				goroutines = 1 + r.IntN(*most)
			}
			rands := make([]*rand.Rand, goroutines)
			for g := range rands {
				rands[g] = rand.New(rand.NewPCG(r.Uint64(), uint64(g)))
			}
			w := newRound(t, s, kind, filepath.Join(dir, "file"), r)
			w.small = small
			w.run(ops, rands)
			made += int64(w.history.n)
			if t.Failed() {
				t.Logf("%d goroutines; run this round alone with -run '^%s$' -fsx.ops=%d -fsx.place=… and the SLUICE_SEED below",
					goroutines, t.Name(), *operations)
			}
		})
	}
	return made
}
