package classes

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestCopyInClass checks that a copy's reads and writes count in the classes of its files.
func TestCopyInClass(t *testing.T) {
	const size = 1 << 20
	dir := t.TempDir()
	text := bytes.Repeat([]byte("text"), size/4)
	name := filepath.Join(dir, "source")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		copied func(t *testing.T, src *sluice.File, dst *sluice.File) (int64, error)
		want   int64 // bytes in the class
	}{
		"ReadFrom a File": {func(_ *testing.T, src, dst *sluice.File) (int64, error) { return dst.ReadFrom(src) }, 2 * size},
		"WriteTo a File":  {func(_ *testing.T, src, dst *sluice.File) (int64, error) { return src.WriteTo(dst) }, 2 * size},
		"a limited Reader": {func(_ *testing.T, src, dst *sluice.File) (int64, error) {
			return io.CopyN(dst, src, size)
		}, 2 * size},
		"ReadFrom an os.File": {func(t *testing.T, _, dst *sluice.File) (int64, error) {
			src, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			return dst.ReadFrom(src)
		}, size},
		"WriteTo an os.File": {func(t *testing.T, src, dst *sluice.File) (int64, error) {
			f, err := os.OpenFile(dst.Name(), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			return src.WriteTo(f)
		}, size},
	} {
		t.Run(what, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{})
			// The limit is never reached. A class without a limit does not count cached reads.
			c := testenv.Class(t, s, "copies", sluice.ClassOptions{BytesPerSecond: 1 << 38})
			view := func(f *sluice.File, err error) *sluice.File {
				t.Helper()
				if err == nil {
					t.Cleanup(func() { f.Close() })
					f, err = f.WithClass(c)
				}
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			src := view(s.Open(name))
			dst := view(s.Create(filepath.Join(t.TempDir(), "copy")))
			if n, err := test.copied(t, src, dst); n != size || err != nil {
				t.Fatalf("copied %d, %v; want %d, nil", n, err, size)
			}
			if got, err := os.ReadFile(dst.Name()); err != nil || !bytes.Equal(got, text) {
				t.Errorf("the copy has %d bytes, %v; want those of the source", len(got), err)
			}
			if n := c.Stats().Bytes; n != test.want {
				t.Errorf("%d bytes count in the class; want %d", n, test.want)
			}
			wantNoTickets(t, s)
		})
	}
}

// TestCopyFromClassOfAnotherScheduler copies to a file whose Scheduler has no classes, unlike the
// source's.
func TestCopyFromClassOfAnotherScheduler(t *testing.T) {
	a, b := testenv.Scheduler(t, sluice.Options{}), testenv.Scheduler(t, sluice.Options{})
	c := testenv.Class(t, a, "copies", sluice.ClassOptions{BytesPerSecond: 1 << 38})
	dir := t.TempDir()
	f := testenv.TextOn(t, a, dir)
	src, err := f.WithClass(c)
	if err != nil {
		t.Fatal(err)
	}
	dst, err := b.Create(filepath.Join(dir, "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	if n, err := dst.ReadFrom(src); n != 20 || err != nil {
		t.Errorf("ReadFrom = %d, %v; want 20, nil", n, err)
	}
	if n := c.Stats().Bytes; n != 20 {
		t.Errorf("%d bytes count in the class; want 20", n)
	}
}
