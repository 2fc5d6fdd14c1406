package pebblevfs_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/seed"
)

var modelOps = flag.Int("pebble.model.n", 1500, "operations of TestModel in each mode")

// TestModel makes the same random calls on an FS and on vfs.Default, and compares all results.
func TestModel(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, _ *sluice.Class) {
		r := seed.Rand(t)
		for range 4 {
			for _, ext := range []string{".sst", ".blob", ".log"} {
				m := &model{t: t, r: r}
				m.sides[0] = side{fs: vfs.Default, name: filepath.Join(t.TempDir(), "1"+ext)}
				m.sides[1] = side{fs: fs, name: filepath.Join(t.TempDir(), "1"+ext)}
				m.run(*modelOps / 12)
			}
		}
	})
}

type model struct {
	t     *testing.T
	r     *rand.Rand
	sides [2]side // vfs.Default, and the FS under test
	log   []string
}

// side is a file of one of the two FS.
type side struct {
	fs   vfs.FS
	name string
	f    vfs.File
}

// do calls op on both sides, and compares the results.
func (m *model) do(what string, op func(s *side) string) {
	m.t.Helper()
	m.log = append(m.log, what)
	want, got := op(&m.sides[0]), op(&m.sides[1])
	if got != want {
		m.t.Fatalf("%s = %s; want %s, as vfs.Default; after %q", what, got, want, m.log[max(0, len(m.log)-40):])
	}
}

// outcome describes an error as far as both FS must agree.
func outcome(err error) string {
	switch err {
	case nil, io.EOF:
		return fmt.Sprint(err)
	}
	return "an error"
}

func (m *model) run(n int) {
	m.open("create", func(s *side) (vfs.File, error) { return s.fs.Create(s.name, "pebble-compaction") })
	for range n {
		m.step()
	}
	m.do("close", func(s *side) string { return outcome(s.f.Close()) })
	m.do("contents", func(s *side) string {
		b, err := os.ReadFile(s.name)
		return fmt.Sprint(len(b), bytesSum(b), err)
	})
}

func bytesSum(b []byte) (sum int) {
	for i, c := range b {
		sum = sum*31 + int(c) + i
	}
	return sum
}

func (m *model) open(how string, open func(s *side) (vfs.File, error)) {
	m.do(how, func(s *side) string {
		f, err := open(s)
		if err != nil {
			m.t.Fatal(err)
		}
		s.f = f
		return ""
	})
}

func (m *model) reopen(how string, open func(s *side) (vfs.File, error)) {
	m.do("close", func(s *side) string { return outcome(s.f.Close()) })
	m.open(how, open)
}

// size returns a length: mostly small, sometimes larger than a stream's buffers.
func (m *model) size() int {
	switch m.r.IntN(8) {
	case 0:
		return 0
	case 1:
		return m.r.IntN(1 << 20)
	case 2:
		return m.r.IntN(5) * 4096
	}
	return m.r.IntN(5000)
}

func (m *model) step() {
	n, off := m.size(), int64(m.r.IntN(1<<20))
	if m.r.IntN(3) == 0 {
		off &^= 4095
	}
	switch m.r.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		b := bytes.Repeat([]byte{byte(1 + m.r.IntN(255))}, n)
		m.do(fmt.Sprintf("write %d", n), func(s *side) string {
			n, err := s.f.Write(b)
			return fmt.Sprint(n, outcome(err))
		})
	case 6:
		b := bytes.Repeat([]byte{byte(1 + m.r.IntN(255))}, n)
		m.do(fmt.Sprintf("writeat %d %d", n, off), func(s *side) string {
			n, err := s.f.WriteAt(b, off)
			return fmt.Sprint(n, outcome(err))
		})
	case 7, 8:
		m.do(fmt.Sprintf("read %d", n), func(s *side) string { return read(n, s.f.Read) })
	case 9, 10, 11, 12:
		m.do(fmt.Sprintf("readat %d %d", n, off), func(s *side) string {
			return read(n, func(b []byte) (int, error) { return s.f.ReadAt(b, off) })
		})
	case 13:
		m.do("stat", func(s *side) string {
			info, err := s.f.Stat()
			if err != nil {
				return outcome(err)
			}
			return fmt.Sprint(info.Size(), info.Mode(), info.DeviceID(), info.Name())
		})
	case 14:
		m.do("sync", func(s *side) string { return outcome(s.f.Sync()) + outcome(s.f.SyncData()) })
	case 15:
		m.do("hints", func(s *side) string {
			_, err := s.f.SyncTo(off)
			_ = s.f.Prefetch(off, int64(n))
			_ = s.f.Preallocate(off, int64(n)+1)
			return outcome(err)
		})
	default:
		m.another()
	}
}

// another opens the file in another way.
func (m *model) another() {
	switch m.r.IntN(5) {
	case 0:
		m.reopen("open", func(s *side) (vfs.File, error) { return s.fs.Open(s.name, vfs.RandomReadsOption) })
	case 1, 2:
		m.reopen("open for a stream", func(s *side) (vfs.File, error) { return s.fs.Open(s.name, vfs.SequentialReadsOption) })
	case 3:
		m.reopen("open to read and write", func(s *side) (vfs.File, error) { return s.fs.OpenReadWrite(s.name, "pebble-compaction") })
	case 4:
		if m.r.IntN(3) == 0 {
			m.reopen("create", func(s *side) (vfs.File, error) { return s.fs.Create(s.name, "pebble-compaction") })
			return
		}
		m.reopen("reuse", func(s *side) (vfs.File, error) {
			old := s.name
			s.name = filepath.Join(filepath.Dir(old), fmt.Sprintf("%d%s", len(m.log), filepath.Ext(old)))
			return s.fs.ReuseForWrite(old, s.name, "pebble-wal")
		})
	}
}

// read describes the result of a read of n bytes.
func read(n int, do func(b []byte) (int, error)) string {
	b := make([]byte, n)
	n, err := do(b)
	return fmt.Sprint(n, bytesSum(b[:n]), outcome(err))
}
