package batch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchClosedDirectory checks that an operation on a closed directory, or on a name in it,
// fails with the error of package os, alone and in many chains.
func TestBatchClosedDirectory(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := t.TempDir()
		if err := os.WriteFile(filepath.Join(name, "file"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		dir, err := s.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Close(); err != nil {
			t.Fatal(err)
		}
		b := batch.New(s)
		in := func() batch.Chain { return b.Chain().In(dir) }
		in().Open("file")
		in().OpenFile("new", os.O_CREATE|os.O_RDWR, 0o600)
		in().Stat("file")
		in().Lstat("file")
		in().Mkdir("new", 0o700)
		in().Rename("file", "new")
		in().HardLink("file", "new")
		in().Symlink("file", "new")
		in().Unlink("file")
		in().Rmdir("file")
		b.Chain().Truncate(batch.On(dir), 0)
		alone := b.Len()
		for range 200 {
			c := in()
			open := c.Open("file")
			c.ReadAt(open, make([]byte, 4), 0)
			c.Close(open)
		}
		if err := b.Do(t.Context()); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Do = %v; want os.ErrClosed", err)
		}
		for i := range b.Len() {
			op := b.Op(i)
			if i >= alone && (i-alone)%3 > 0 {
				if !errors.Is(op.Err(), batch.ErrChainBroken) {
					t.Fatalf("operation %d, after an open that failed: %v; want ErrChainBroken", i, op.Err())
				}
				continue
			}
			var path *os.PathError
			var link *os.LinkError
			if err := op.Err(); op.State() != batch.Failed || !errors.Is(err, os.ErrClosed) || !errors.As(err, &path) && !errors.As(err, &link) {
				t.Fatalf("operation %d is %v, %v; want os.ErrClosed, as package os gives it", i, op.State(), err)
			}
		}
		if left, err := os.ReadDir(name); err != nil || len(left) != 1 {
			t.Errorf("in the directory are %v, %v; want the file alone", left, err)
		}
	})
}
