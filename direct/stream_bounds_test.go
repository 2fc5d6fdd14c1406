package direct_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// sparse makes a file of size zeros, which takes no room.
func sparse(t testing.TB, dir string, size int64) (name string) {
	t.Helper()
	name = filepath.Join(dir, fmt.Sprint("sparse", size))
	testenv.Write(t, name, "")
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	return name
}

// bounded are streams over files a thousand times as large as their memory.
var bounded = []struct{ size, count int }{{4 << 10, 10}, {16 << 10, 3}, {64 << 10, 5}, {100_000, 4}}

// TestStreamMemory reads and writes files 1000 times as large as a stream's memory, and watches how
// much memory the stream takes.
func TestStreamMemory(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			for _, of := range bounded {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				size := int64(of.size) * int64(of.count) * 1000
				f, err := direct.OpenOn(s, sparse(t, t.TempDir(), size), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				r := reader(t, f, direct.ReaderOptions{BufferSize: of.size, ReadAhead: of.count})
				total := int64(0)
				for {
					b, err := r.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					total += int64(b.Len())
					b.Release()
				}
				if total != size {
					t.Errorf("%d bytes; want %d", total, size)
				}
				if _, err := r.Seek(0, io.SeekStart); err != nil {
					t.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, onlyRead{r}); n != size || err != nil {
					t.Errorf("Copy = %d, %v; want %d", n, err, size)
				}
				w := writer(t, f, direct.WriterOptions{BufferSize: of.size, WriteBehind: of.count})
				b := make([]byte, 1<<20)
				for range min(size, 64<<20) >> 20 { // at most 64 MiB, to be kind to disks
					if _, err := w.Write(b); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				// Blocks of memory are powers of two.
				if st := s.Stats(); st.BuffersPeak > 2*int64(of.size)*int64(of.count) || st.BuffersInUse != 0 {
					t.Errorf("%+v: %d bytes of buffers at most, %d at the end", of, st.BuffersPeak, st.BuffersInUse)
				}
			}
		})
	}
}

// TestStreamAllocs checks that the calls of a stream allocate nothing, whether a buffer is ready or
// not.
func TestStreamAllocs(t *testing.T) {
	testenv.SkipUnderRace(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		for _, size := range []int{testenv.PageSize, 128 << 10} {
			f, err := direct.OpenOn(s, sparse(t, dir, 256<<20), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := reader(t, f, direct.ReaderOptions{BufferSize: size})
			allocs.None(t, "Next", func() error {
				b, err := r.Next()
				b.Release()
				return err
			})
			mem := make([]byte, size/2)
			allocs.None(t, "Read", func() error { _, err := r.Read(mem); return err })
			w := writer(t, f, direct.WriterOptions{BufferSize: size})
			allocs.None(t, "Write", func() error { _, err := w.Write(mem); return err })
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			// this one extends the file
			w = writer(t, f, direct.WriterOptions{BufferSize: size, Start: 256 << 20})
			allocs.None(t, "Write at the end", func() error { _, err := w.Write(mem); return err })
			allocs.None(t, "Flush", func() error {
				w.Write(mem[:1])
				return w.Flush()
			})
			f.Close()
			os.Remove(f.Name())
		}
	})
}
