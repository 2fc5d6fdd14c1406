package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestFileStats: a File counts its own operations that are no cached reads, with those of its
// views.
func TestFileStats(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		f := testenv.Must1(s.Create(filepath.Join(dir, "file")))
		defer f.Close()
		other := testenv.Must1(s.Create(filepath.Join(dir, "other")))
		defer other.Close()
		view := testenv.Must1(f.WithClass(testenv.Class(t, s, "class", sluice.ClassOptions{})))
		for _, w := range []*sluice.File{f, view, f} {
			if _, err := w.WriteAt(make([]byte, 100), 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		st := f.Stats()
		if st.Plain+st.Queued != 4 || st.BytesWritten != 300 || st.BytesRead != 0 {
			t.Errorf("Stats after three writes and a Sync = %+v; want 4 operations, 300 bytes written", st)
		}
		if v := view.Stats(); v != st {
			t.Errorf("Stats of a view = %+v; want the file's, %+v", v, st)
		}
		if st := other.Stats(); st != (sluice.FileStats{}) {
			t.Errorf("Stats of a file without operations = %+v; want zeros", st)
		}
	})
}

// TestDirectFileStats: a direct File counts the bytes of its transfers, aligned or not.
func TestDirectFileStats(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f := testenv.Must1(direct.OpenOn(s, filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE, 0o600))
	defer f.Close()
	b := make([]byte, 8192)
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:5000], 1); err != nil {
		t.Fatal(err)
	}
	if st := f.Stats(); st.Plain+st.Queued < 1 || st.BytesWritten < 8192 {
		t.Errorf("Stats after a write of 8 KiB and a read = %+v; want 8 KiB written, or more", st)
	}
}

// TestNoStats: a File without disk I/O, and none, have zeros.
func TestNoStats(t *testing.T) {
	d := testenv.Must1(sluice.Open(t.TempDir()))
	defer d.Close()
	var none *sluice.File
	var nothing *direct.File
	for what, st := range map[string]sluice.FileStats{
		"a directory": d.Stats(), "a nil File": none.Stats(), "the zero File": new(sluice.File).Stats(), "a nil direct.File": nothing.Stats(),
	} {
		if st != (sluice.FileStats{}) {
			t.Errorf("Stats of %s = %+v; want zeros", what, st)
		}
	}
}
