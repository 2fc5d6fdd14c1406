package batch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/trace"
)

// TestBatchTrace records a Batch of all kinds, and one of many chains. Each operation must be
// recorded once, with its name and times, and Stats must have the same counts.
func TestBatchTrace(t *testing.T) {
	if !record.Built {
		skip.For(t, skip.Build, "nothing is recorded in this build")
	}
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			rec, s := testenv.Recorded(t, name)
			dir := t.TempDir()
			b := batch.New(s)
			addAllKinds(b, filepath.Join(dir, "all"))
			if err := b.Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := map[trace.Kind]int{}
			for kind := trace.KindRead; kind <= record.KindMkdir; kind++ {
				want[kind] = 1
			}
			names := smallFiles(t, dir, 300, 100)
			b.Reset()
			addReads(b, names, 100)
			if err := b.Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			want[record.KindOpen] += 300
			want[trace.KindRead] += 300
			want[record.KindClose] += 300
			tr := rec.Trace()
			testenv.CheckTimes(t, tr)
			testenv.CompareStats(t, tr, s.Stats())
			compareKinds(t, tr, want)
			opened := map[string]bool{}
			for i := range tr.Ops {
				if o := &tr.Ops[i]; o.Kind == record.KindOpen {
					opened[tr.Files[o.File]] = true
				}
			}
			for _, name := range names {
				if !opened[name] {
					t.Errorf("no open of %s in the trace", name)
				}
			}
		})
	}
}

// addAllKinds adds one operation of each kind, as a chain.
func addAllKinds(b *batch.Batch, name string) {
	c := b.Chain()
	c.Mkdir(name, 0o700)
	f := c.OpenFile(name+"/f", os.O_RDWR|os.O_CREATE, 0o600)
	c.Allocate(f, 0, 4096)
	c.WriteAt(f, make([]byte, 100), 0)
	c.ReadAt(f, make([]byte, 100), 0)
	c.Advise(f, 0, 0, sluice.AdviceSequential)
	c.Datasync(f)
	c.Sync(f)
	c.Truncate(f, 50)
	c.Close(f)
	c.Stat(name + "/f")
	c.Symlink("f", name+"/s")
	c.Lstat(name + "/s")
	c.Rename(name+"/s", name+"/f2")
	c.HardLink(name+"/f", name+"/g")
	c.Unlink(name + "/g")
	c.Mkdir(name+"/d", 0o700)
	c.Rmdir(name + "/d")
}

func compareKinds(t *testing.T, tr *trace.Trace, want map[trace.Kind]int) {
	t.Helper()
	want[record.KindMkdir]++ // the directory that holds the other files
	got := map[trace.Kind]int{}
	for i := range tr.Ops {
		got[tr.Ops[i].Kind]++
	}
	for kind, n := range want {
		if got[kind] != n {
			t.Errorf("%d operations are %v in the trace; want %d", got[kind], kind, n)
		}
	}
}
