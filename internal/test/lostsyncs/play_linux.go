package lostsyncs

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	rounds  = flag.Int("lostsyncs.rounds", 8, "rounds on each file system and driver")
	place   = flag.String("lostsyncs.place", "ext4,xfs,btrfs", "the file systems")
	drivers = flag.String("lostsyncs.driver", strings.Join(testenv.Drivers, ","), "the drivers")
	built   = flag.Bool("lostsyncs.built", false, "the test must be built by sluice test: package os makes its calls through sluice")
	kindsOf = flag.String("lostsyncs.kind", strings.Join(kindNames, ","), "the ways to open a file")
)

// TreeCopy is a way to copy a tree durably.
type TreeCopy struct {
	Name string
	Do   func(ctx context.Context, s *sluice.Scheduler, dst, src string) error
}

// Play is TestLostSyncs. In a quarter of the rounds a goroutine copies a tree in one of the ways,
// if there are any.
func Play(t *testing.T, ways ...TreeCopy) {
	if *built && !builtBySluice() {
		t.Fatal("-lostsyncs.built: this program was built by go test; build it by sluice test")
	}
	start := seed.Of(t)
	for _, at := range strings.Split(*place, ",") {
		t.Run(at, func(t *testing.T) {
			total := new(tally)
			defer func() { total.print(t) }()
			for _, driver := range strings.Split(*drivers, ",") {
				t.Run(driver, func(t *testing.T) {
					// Skips the test without the driver.
					testenv.Scheduler(t, sluice.Options{Driver: driver})
					l := testenv.NewLossy(t, at)
					for i := 0; i < *rounds && !t.Failed(); i++ {
						t.Run(fmt.Sprint("round", i), func(t *testing.T) { playRound(t, l, start, driver, total, ways) })
					}
				})
			}
		})
	}
}

// builtBySluice reports whether `sluice test` or `sluice build` has built this program. Then
// package os's File has one more field.
func builtBySluice() bool {
	file, _ := reflect.TypeFor[os.File]().FieldByName("file")
	fd, _ := file.Type.Elem().FieldByName("pfd")
	_, ok := fd.Type.FieldByName("sluice")
	return ok
}

// playRound plays one round. The name is part of its seed, so that it can run alone.
func playRound(t *testing.T, l *testenv.Lossy, start uint64, driver string, total *tally, ways []TreeCopy) {
	hang.Watch(t)
	own := fnv.New64a()
	own.Write([]byte(t.Name()))
	r := newRound(t, l, driver, rand.New(rand.NewPCG(start, own.Sum64())))
	r.run(ways)
	r.judge(total)
	if t.Failed() {
		t.Logf("%s\nrun this round alone with -run '^%s$' and the SLUICE_SEED below", r, t.Name())
	}
}

// tally counts the results of a place's rounds. The maps are by kind.
type tally struct {
	calls, nils, failed, lost int // calls that commit, and lost blocks
	// apart counts calls that returned nil while another call got the report.
	apart map[string]int
	// unread counts blocks of calls that returned nil that are on the disk and not in the file.
	unread map[string]int
}

func (c *tally) note(kind string, in *map[string]int) {
	if *in == nil {
		*in = make(map[string]int)
	}
	(*in)[kind]++
}

func (c *tally) print(t *testing.T) {
	if c.calls == 0 {
		return
	}
	t.Logf("%d calls returned nil and %d failed; %d blocks were lost", c.nils, c.failed, c.lost)
	t.Logf("calls that returned nil for a block whose loss another call reported: %v", c.apart)
	t.Logf("blocks of calls that returned nil, on the disk, which the file system has not put into the file: %v", c.unread)
	t.Logf("figure: %d calls", c.calls)
}
