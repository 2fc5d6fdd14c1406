package content

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// verified compares the open files, which have the same length.
func verified(t *testing.T, cfg Config, src, dst *os.File) error {
	t.Helper()
	c := New(cfg)
	defer c.Close()
	from, to := of(t, src), of(t, dst)
	j := job{c: c, ctx: t.Context(), dst: to, src: from, pair: c.pairs.of(to, from), result: Result{Bytes: from.Size}}
	return j.verify()
}

// TestVerifySkipsHoles compares files of 1 GiB that have little data, in few reads.
func TestVerifySkipsHoles(t *testing.T) {
	const size = 1 << 30
	eachPlace(t, func(t *testing.T, dir string) {
		src, dst := openBoth(t, filepath.Join(dir, "file"), nil, nil)
		defer src.Close()
		defer dst.Close()
		if err := errors.Join(os.Truncate(src.Name(), size), dst.Truncate(size)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{src.Name(), dst.Name()} {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt(noise(1, 5000), size/2); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		reads := 0
		cfg := Config{BlockSize: 64 << 10, Fault: func(op string) error {
			if reads++; reads > 100 {
				return errors.New("too many reads")
			}
			return nil
		}}
		if err := verified(t, cfg, src, dst); err != nil {
			t.Error(err)
		}
		if _, err := dst.WriteAt([]byte{1}, size-1); err != nil {
			t.Fatal(err)
		}
		reads = 0
		if err, want := verified(t, cfg, src, dst), verifyError(size-1); err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
	})
}

// TestVerifySparse compares random files with copies that differ by a byte, in data or in a hole.
func TestVerifySparse(t *testing.T) {
	eachPlace(t, func(t *testing.T, dir string) {
		random := seed.Rand(t)
		name := filepath.Join(dir, "file")
		for i := range 60 {
			want := sparseFile(t, random, name)
			_ = os.Remove(name + ".copy")
			if _, err := copyTo(t.Context(), t, New(Config{}), name+".copy", name); err != nil {
				t.Fatal(err)
			}
			src, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			dst, err := os.OpenFile(name+".copy", os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			changed := ""
			if len(want) > 0 && random.IntN(3) > 0 {
				at, b := random.Int64N(int64(len(want))), []byte{byte(random.IntN(2))}
				if _, err := dst.WriteAt(b, at); err != nil {
					t.Fatal(err)
				}
				if want[at] != b[0] {
					changed = verifyError(at)
				}
			}
			err = verified(t, Config{BlockSize: 512 + random.IntN(100_000)}, src, dst)
			if err != nil && err.Error() != changed || err == nil && changed != "" {
				t.Errorf("file %d of %d bytes: %v; want %q", i, len(want), err, changed)
			}
			src.Close()
			dst.Close()
		}
	})
}

// TestVerifyShorter has a sparse file that becomes shorter while it is compared.
func TestVerifyShorter(t *testing.T) {
	const size = 1 << 20
	name := filepath.Join(t.TempDir(), "file")
	src, dst := openBoth(t, name, nil, nil)
	defer src.Close()
	defer dst.Close()
	if err := errors.Join(os.Truncate(name, size), dst.Truncate(size)); err != nil {
		t.Fatal(err)
	}
	// Before the first read.
	cfg := Config{Fault: func(string) error { return os.Truncate(name, size/2) }}
	if err := verified(t, cfg, src, dst); !errors.Is(err, fault.ErrVerify) {
		t.Errorf("%v; want %v", err, fault.ErrVerify)
	}
}
