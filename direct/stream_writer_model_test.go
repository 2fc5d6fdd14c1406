package direct_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestWriterModel makes random calls on one Writer after the other, and on a slice of bytes. After
// Flush the file equals the slice; before, it is not longer.
func TestWriterModel(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f, err := direct.OpenOn(s, filepath.Join(dir, "written"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m := &writerModel{t: t, r: rand.New(rand.NewPCG(start, 0)), f: f}
		for range 1 + *testenv.DiffN/150 {
			m.open()
			for range 5 + m.r.IntN(40) {
				if m.step(); t.Failed() {
					t.Logf("%+v\n%s", m.o, strings.Join(m.done[max(0, len(m.done)-20):], "\n"))
					return
				}
			}
			m.same("Close", m.w.Close())
		}
		if st := s.Stats(); st.BuffersInUse != 0 || st.InFlight != 0 {
			t.Errorf("%d bytes of buffers in use, %d in flight at the end", st.BuffersInUse, st.InFlight)
		}
	})
}

// writerModel is a Writer and the file that it writes.
type writerModel struct {
	t    *testing.T
	r    *rand.Rand
	f    *direct.File
	o    direct.WriterOptions
	w    *direct.Writer
	file []byte // the file's contents after Flush
	pos  int64
	done []string
}

func (m *writerModel) open() {
	if m.r.IntN(3) == 0 {
		m.file = nil
		if err := m.f.Truncate(0); err != nil {
			m.t.Fatal(err)
		}
	}
	m.o = direct.WriterOptions{BufferSize: streamSizes[m.r.IntN(len(streamSizes))], WriteBehind: m.r.IntN(8)}
	if m.r.IntN(3) > 0 {
		m.o.Start = int64(m.r.IntN(len(m.file) + 10_000))
	}
	m.w, m.pos = writer(m.t, m.f, m.o), m.o.Start
	m.note("NewWriter(%+v) of %d bytes", m.o, len(m.file))
}

func (m *writerModel) note(format string, args ...any) {
	m.done = append(m.done, fmt.Sprintf(format, args...))
}

func (m *writerModel) step() {
	n := m.r.IntN(1 << m.r.IntN(19))
	b := testenv.Noise(n)
	switch m.r.IntN(12) {
	case 0:
		m.put(b[:min(1, n)], func(b []byte) (int, error) {
			for _, c := range b {
				if err := writeByte(m.w, c); err != nil {
					return 0, err
				}
			}
			return len(b), nil
		})
	case 2, 3:
		m.put(b, func(b []byte) (int, error) {
			n, err := m.w.ReadFrom(onlyRead{bytes.NewReader(b)})
			return int(n), err
		})
	case 4:
		m.same("Flush", m.w.Flush())
	case 5:
		m.same("Sync", m.w.Sync())
	case 6:
		m.beside(b)
	default:
		m.put(b, m.w.Write)
	}
}

// put writes b by one of the methods.
func (m *writerModel) put(b []byte, write func(b []byte) (int, error)) {
	m.note("%d bytes at %d", len(b), m.pos)
	if n, err := write(b); n != len(b) || err != nil {
		m.t.Errorf("%s: %d, %v", m.done[len(m.done)-1], n, err)
	}
	m.set(b, m.pos)
	m.pos += int64(len(b))
	if info, err := os.Stat(m.f.Name()); err != nil || info.Size() > int64(len(m.file)) {
		m.t.Errorf("%s: the file has %d bytes, %v; want %d at most", m.done[len(m.done)-1], info.Size(), err, len(m.file))
	}
}

// set updates file after a write of b at off.
func (m *writerModel) set(b []byte, off int64) {
	if len(b) == 0 {
		return
	}
	if n := int(off) + len(b) - len(m.file); n > 0 {
		m.file = append(m.file, make([]byte, n)...)
	}
	copy(m.file[off:], b)
}

// beside changes flushed bytes by WriteAt, even in the last block. The Writer must not undo it.
func (m *writerModel) beside(b []byte) {
	m.same("Flush", m.w.Flush())
	at := max(0, m.pos-int64(m.r.IntN(len(b)+1)))
	b = b[:min(int64(len(b)), m.pos-at)]
	if n, err := m.f.WriteAt(b, at); n != len(b) || err != nil {
		m.t.Errorf("WriteAt = %d, %v", n, err)
	}
	m.set(b, at)
}

// same compares the files after a call that has written all bytes.
func (m *writerModel) same(what string, err error) {
	m.note("%s at %d", what, m.pos)
	got, err1 := os.ReadFile(m.f.Name())
	if err != nil || err1 != nil || !bytes.Equal(got, m.file) {
		m.t.Errorf("%s = %v: the file has %d bytes (%08x), %v; want %d (%08x)", what, err, len(got), testenv.Sum(got), err1, len(m.file), testenv.Sum(m.file))
	}
}
