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

// TestBatchTrace records a Batch of all kinds, and one of chains that the kernel
// may perform as a whole: each operation is there once, with its name and times,
// and as often as Stats says.
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
			for kind := trace.OpRead; kind <= trace.OpMkdir; kind++ {
				want[kind] = 1
			}
			names := smallFiles(t, dir, 300, 100)
			b.Reset()
			addReads(b, names, 100)
			if err := b.Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			want[trace.OpOpen] += 300
			want[trace.OpRead] += 300
			want[trace.OpClose] += 300
			tr := rec.Trace()
			testenv.CheckTimes(t, tr)
			testenv.CompareStats(t, tr, s.Stats())
			compareKinds(t, tr, want)
			opened := map[string]bool{}
			for i := range tr.Ops {
				if o := &tr.Ops[i]; o.Kind == trace.OpOpen {
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
	b.Mkdir(name, 0o700).Then()
	f := b.OpenFile(name+"/f", os.O_RDWR|os.O_CREATE, 0o600).Then()
	b.Allocate(f, 0, 4096).Then()
	b.WriteAt(f, make([]byte, 100), 0).Then()
	b.ReadAt(f, make([]byte, 100), 0).Then()
	b.Advise(f, 0, 0, sluice.AdviceSequential).Then()
	b.Datasync(f).Then()
	b.Sync(f).Then()
	b.Truncate(f, 50).Then()
	b.Close(f).Then()
	b.Stat(name + "/f").Then()
	b.Symlink("f", name+"/s").Then()
	b.Lstat(name + "/s").Then()
	b.Rename(name+"/s", name+"/f2").Then()
	b.HardLink(name+"/f", name+"/g").Then()
	b.Unlink(name + "/g").Then()
	b.Mkdir(name+"/d", 0o700).Then()
	b.Rmdir(name + "/d")
}

func compareKinds(t *testing.T, tr *trace.Trace, want map[trace.Kind]int) {
	t.Helper()
	want[trace.OpMkdir]++ // of the directory that the others are in
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
