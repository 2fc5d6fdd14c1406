package batch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchRanges checks that Allocate, Advise and Truncate have the same errors as File's methods.
func TestBatchRanges(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "closed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func() (*sluice.File, error){
		"file":      func() (*sluice.File, error) { return s.Create(filepath.Join(dir, "file")) },
		"directory": func() (*sluice.File, error) { return s.Open(dir) },
		"null":      func() (*sluice.File, error) { return s.OpenFile(os.DevNull, os.O_RDWR, 0) },
		"read-only": func() (*sluice.File, error) { return s.Open(filepath.Join(dir, "closed")) },
		"closed": func() (*sluice.File, error) {
			f, err := s.Open(filepath.Join(dir, "closed"))
			if err == nil {
				err = f.Close()
			}
			return f, err
		},
		"closed directory": func() (*sluice.File, error) {
			f, err := s.Open(dir)
			if err == nil {
				err = f.Close()
			}
			return f, err
		},
	} {
		f, err := make()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ off, n int64 }{{0, 0}, {0, 4096}, {4096, 0}, {-1, 1}, {0, -1}, {-1, -1}} {
			b := batch.New(s)
			on := batch.On(f)
			ops := []*batch.Op{b.Chain().Allocate(on, c.off, c.n), b.Chain().Truncate(on, c.n)}
			want := []error{f.Allocate(c.off, c.n), f.Truncate(c.n)}
			for a := sluice.AdviceNormal; a <= sluice.AdviceDontNeed+1; a++ {
				ops, want = append(ops, b.Chain().Advise(on, c.off, c.n, a)), append(want, f.Advise(c.off, c.n, a))
			}
			_ = b.Do(t.Context()) // checked below
			for i, op := range ops {
				if got, want := testenv.Describe(op.Err(), dir), testenv.Describe(want[i], dir); got != want {
					t.Errorf("%v of the %s at %d, %d = %s; want %s, as of File", op.Kind(), name, c.off, c.n, got, want)
				}
			}
		}
		if err := f.Close(); err != nil && name[0] != 'c' {
			t.Error(err)
		}
	}
}
