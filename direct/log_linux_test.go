package direct_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/direct"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// kernelLog returns a function that returns the kernel's new log lines about the named file, or its
// file system's device. It skips the test if the log cannot be read.
func kernelLog(t *testing.T, name string) (since func() []string) {
	t.Helper()
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		skip.For(t, skip.KMsg, "the kernel's log cannot be read: ", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.Seek(fd, 0, io.SeekEnd); err != nil {
		skip.For(t, skip.KMsg, "the kernel's log cannot be read: ", err)
	}
	about := []string{filepath.Base(name), "warning (device " + deviceOf(t, filepath.Dir(name)) + ")"}
	return func() (lines []string) {
		b := make([]byte, 8<<10)
		for {
			n, err := unix.Read(fd, b)
			switch {
			case errors.Is(err, unix.EPIPE), errors.Is(err, unix.EINTR):
				continue // lines were overwritten before they were read
			case err != nil:
				return lines
			}
			for _, a := range about {
				if strings.Contains(string(b[:n]), a) {
					lines = append(lines, string(b[:n]))
				}
			}
		}
	}
}

// deviceOf returns the name of the block device of dir's file system.
func deviceOf(t *testing.T, dir string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	link, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(link)
}

// loggedName returns the name of a file in dir that no other line of the kernel's log has.
func loggedName(dir string) string { return filepath.Join(dir, fmt.Sprintf("%016x", rand.Uint64())) }

// TestAllocateWhileWrittenBack reserves room behind the end of a file while its last page is
// written back into reserved room. ext4 logs a warning if it finds the two reservations merged.
func TestAllocateWhileWrittenBack(t *testing.T) {
	start := seed.Of(t)
	testenv.EachDriverIn(t, places.FileSystems["ext4"](t, 96<<20), func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := loggedName(dir)
		f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		since := kernelLog(t, name)
		const rounds = 2000
		var all sync.WaitGroup
		each := func(g uint64, do func(r *rand.Rand, size int64) error) {
			all.Go(func() {
				r := rand.New(rand.NewPCG(start, g))
				for range rounds {
					size, err := f.Size()
					if err == nil {
						err = do(r, size)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		b := make([]byte, 6000)
		each(0, func(r *rand.Rand, size int64) error {
			_, err := f.WriteAt(b[:1+r.IntN(len(b))], max(0, size-r.Int64N(3000)))
			return err
		})
		each(1, func(*rand.Rand, int64) error { return f.Sync() })
		each(2, func(r *rand.Rand, size int64) error { return f.Allocate(size, 1+r.Int64N(64<<10)) })
		each(3, func(r *rand.Rand, size int64) error { return f.PunchHole(r.Int64N(size+1), 1+r.Int64N(64<<10)) })
		all.Wait()
		if lines := since(); len(lines) > 0 {
			t.Errorf("the kernel has logged %d lines: %q …", len(lines), lines[0])
		}
	})
}

// TestMixIsNotLogged writes and reads one file by Writers, direct calls, and a File on the page
// cache. The kernel must log nothing.
func TestMixIsNotLogged(t *testing.T) {
	start := seed.Of(t)
	for _, kind := range []string{"ext4", "xfs"} {
		t.Run(kind, func(t *testing.T) {
			testenv.EachDriverIn(t, places.FileSystems[kind](t, 300<<20), func(t *testing.T, s *sluice.Scheduler, dir string) {
				mix(t, s, loggedName(dir), start)
			})
		})
	}
}

func mix(t *testing.T, s *sluice.Scheduler, name string, start uint64) {
	const rounds, fileEnd, most = 60, 256 << 10, 4 << 20
	f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(name)
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, fileEnd), 0); err != nil {
		t.Fatal(err)
	}
	file, err := s.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	since := kernelLog(t, name)
	var all sync.WaitGroup
	each := func(g uint64, do func(r *rand.Rand, b []byte, size int64) error) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(start, g))
			b := testenv.AlignedBytes(128 << 10)
			for range rounds {
				size, err := f.Size()
				if err == nil {
					err = do(r, b, size)
				}
				if err != nil && !errors.Is(err, io.EOF) {
					t.Error(err)
				}
			}
		})
	}
	// Some reads reach over the end of the file, or begin behind it.
	at := func(r *rand.Rand, size int64) int64 { return max(fileEnd, size-r.Int64N(128<<10)+16<<10) }
	each(0, func(r *rand.Rand, b []byte, size int64) error {
		_, err := f.ReadAt(b[:1+r.IntN(len(b))], at(r, size))
		return err
	})
	each(1, func(r *rand.Rand, b []byte, size int64) error {
		got, err := f.ReadBuffer(t.Context(), at(r, size), 1+r.IntN(len(b)))
		got.Release()
		return err
	})
	each(2, func(r *rand.Rand, b []byte, size int64) error {
		_, err := file.ReadAt(b[:1+r.IntN(len(b))], at(r, size))
		return err
	})
	// Some writes reach over the end. The File writes blocks that nobody else uses.
	each(3, func(r *rand.Rand, b []byte, size int64) error {
		_, err := f.WriteAt(b[:1+r.IntN(6000)], max(fileEnd, size-r.Int64N(3000)))
		return err
	})
	each(4, func(r *rand.Rand, b []byte, size int64) error {
		_, err := f.WriteAt(b[r.IntN(512):][:1+r.IntN(30000)], max(fileEnd, size-r.Int64N(64<<10)))
		return err
	})
	each(5, func(r *rand.Rand, b []byte, size int64) error {
		n := 1 + r.IntN(fileEnd/2)
		_, err := file.WriteAt(b[:n], r.Int64N(int64(fileEnd-n)))
		return err
	})
	each(6, func(r *rand.Rand, b []byte, size int64) error {
		w, err := f.NewWriter(t.Context(), direct.WriterOptions{Start: size, BufferSize: 64 << 10})
		if err != nil {
			return err
		}
		_, err = w.Write(b[:1+r.IntN(len(b))])
		return errors.Join(err, w.Close())
	})
	each(7, func(r *rand.Rand, _ []byte, size int64) error {
		switch {
		case size > most:
			return f.Truncate(1 << 20)
		case r.IntN(2) == 0:
			return f.Sync()
		}
		return f.Allocate(size, 1+r.Int64N(1<<20))
	})
	all.Wait()
	if lines := since(); len(lines) > 0 {
		t.Errorf("the kernel has logged %d lines: %q …", len(lines), lines[0])
	}
}
