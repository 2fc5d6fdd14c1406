package direct_test

import (
	"bytes"
	"fmt"
	"io"
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

// TestReaderModel makes random calls on a Reader and on a slice of bytes, while the file grows.
// Bytes, positions and ends must be equal.
func TestReaderModel(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		r := rand.New(rand.NewPCG(start, 0))
		for range 1 + *testenv.DiffN/250 {
			m := newReaderModel(t, s, dir, r)
			for range 100 {
				if m.step(); t.Failed() {
					t.Logf("%+v\n%s", m.o, strings.Join(m.done[max(0, len(m.done)-20):], "\n"))
					return
				}
			}
			m.close()
		}
		if st := s.Stats(); st.BuffersInUse != 0 || st.InFlight != 0 {
			t.Errorf("%d bytes of buffers in use, %d in flight at the end", st.BuffersInUse, st.InFlight)
		}
	})
}

// readerModel is a Reader and the file that it reads.
type readerModel struct {
	t    *testing.T
	r    *rand.Rand
	o    direct.ReaderOptions
	f    *direct.File
	sr   *direct.Reader
	file []byte // the file's contents
	pos  int64  // relative to Start
	at   int64  // where the last ReadAt ended, relative to Start
	held []heldBuffer
	done []string
}

// heldBuffer is a Buffer of Next, and its expected bytes.
type heldBuffer struct {
	b    direct.Buffer
	want []byte
}

// streamSizes are sizes of buffers. Some are no power of two, and some no whole blocks.
var streamSizes = []int{1, 512, 1000, 4096, 5000, 12 << 10, 48<<10 + 1, 64 << 10, 100_000, 128 << 10, 600 << 10}

func newReaderModel(t *testing.T, s *sluice.Scheduler, dir string, r *rand.Rand) *readerModel {
	m := &readerModel{t: t, r: r, file: testenv.Noise(r.IntN(1 << r.IntN(21)))}
	name := filepath.Join(dir, "read")
	if err := os.WriteFile(name, m.file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.f = f
	m.o = direct.ReaderOptions{BufferSize: streamSizes[r.IntN(len(streamSizes))], ReadAhead: r.IntN(11)}
	if r.IntN(2) == 0 {
		m.o.Start = int64(r.IntN(len(m.file) + 5000))
	}
	if r.IntN(3) == 0 {
		m.o.End = m.o.Start + int64(1+r.IntN(len(m.file)+5000))
	}
	m.sr = reader(t, f, m.o)
	return m
}

func (m *readerModel) close() {
	if err := m.sr.Close(); err != nil {
		m.t.Error(err)
	}
	m.letGo(0)
	if err := m.f.Close(); err != nil {
		m.t.Error(err)
	}
}

// part returns the part of the file that the Reader reads.
func (m *readerModel) part() []byte {
	end := int64(len(m.file))
	if m.o.End != 0 {
		end = min(end, m.o.End)
	}
	return m.file[min(m.o.Start, end):end]
}

// left returns the rest of the part.
func (m *readerModel) left() []byte { return m.part()[min(m.pos, int64(len(m.part()))):] }

func (m *readerModel) note(format string, args ...any) {
	m.done = append(m.done, fmt.Sprintf(format, args...))
}

func (m *readerModel) step() {
	switch k := m.r.IntN(20); {
	case k < 6:
		m.read()
	case k < 12:
		m.next()
	case k < 16:
		m.readByte()
	case k < 18:
		m.seek()
	case k < 19:
		if m.r.IntN(2) == 0 {
			m.writeTo()
			return
		}
		for range 1 + m.r.IntN(8) {
			m.readAt()
		}
	default:
		m.grow()
	}
}

// got checks the result of a call: bytes, or the end.
func (m *readerModel) got(b []byte, err error) {
	left := m.left()
	switch {
	case len(left) == 0 && (len(b) > 0 || err != io.EOF):
		m.t.Errorf("%s: %d bytes, %v; want none, io.EOF", m.done[len(m.done)-1], len(b), err)
	case len(left) > 0 && (len(b) == 0 || err != nil):
		m.t.Errorf("%s: %d bytes, %v; want some of %d", m.done[len(m.done)-1], len(b), err, len(left))
	case len(b) > len(left) || !bytes.Equal(b, left[:len(b)]):
		m.t.Errorf("%s: %d other bytes than the file's", m.done[len(m.done)-1], len(b))
	}
	m.pos += int64(len(b))
}

func (m *readerModel) read() {
	b := make([]byte, m.r.IntN(1<<m.r.IntN(20)))
	n, err := m.sr.Read(b)
	m.note("Read(%d) at %d = %d, %v", len(b), m.pos, n, err)
	if len(b) == 0 {
		if n != 0 || err != nil {
			m.t.Errorf("%s; want nothing", m.done[len(m.done)-1])
		}
		return
	}
	m.got(b[:n], err)
}

// readAt reads at some place, mostly near the last one.
func (m *readerModel) readAt() {
	if m.r.IntN(4) == 0 {
		m.at = int64(m.r.IntN(len(m.part()) + 100))
	} else {
		m.at = max(0, m.at+int64(m.r.IntN(20_000)-5_000))
	}
	b := make([]byte, m.r.IntN(1<<m.r.IntN(20)))
	n, err := m.sr.ReadAt(b, m.at)
	m.note("ReadAt(%d) at %d = %d, %v", len(b), m.at, n, err)
	want := m.part()
	want = want[min(m.at, int64(len(want))):]
	short := len(want) < len(b)
	want = want[:min(len(want), len(b))]
	if !bytes.Equal(b[:n], want) || short != (err == io.EOF) || !short && err != nil {
		m.t.Errorf("%s; want %d bytes, and io.EOF: %t", m.done[len(m.done)-1], len(want), short)
	}
	m.at += int64(n)
}

func (m *readerModel) next() {
	b, err := m.sr.Next()
	m.note("Next at %d = %d, %v", m.pos, b.Len(), err)
	want := m.left()
	m.got(b.Bytes(), err)
	m.held = append(m.held, heldBuffer{b, want[:min(b.Len(), len(want))]})
	m.letGo(m.r.IntN(4))
}

// letGo releases all but the last n Buffers, which must not have changed.
func (m *readerModel) letGo(n int) {
	for len(m.held) > n {
		h := m.held[0]
		if !bytes.Equal(h.b.Bytes(), h.want) {
			m.t.Errorf("%s: a Buffer has changed that is not released", m.done[len(m.done)-1])
		}
		h.b.Release()
		m.held = m.held[1:]
	}
}

func (m *readerModel) readByte() {
	c, err := readByte(m.sr)
	m.note("Read of a byte at %d = %d, %v", m.pos, c, err)
	if err != nil {
		m.got(nil, err)
		return
	}
	m.got([]byte{c}, nil)
}

func (m *readerModel) seek() {
	whence := m.r.IntN(3)
	base := []int64{0, m.pos, int64(len(m.part()))}[whence]
	to := int64(m.r.IntN(len(m.part()) + 100))
	if m.r.IntN(2) == 0 { // near the last one
		to = m.pos + int64(m.r.IntN(20_000)-10_000)
	}
	pos, err := m.sr.Seek(to-base, whence)
	m.note("Seek(%d, %d) at %d = %d, %v", to-base, whence, m.pos, pos, err)
	if to < 0 {
		if err == nil {
			m.t.Errorf("%s; want an error", m.done[len(m.done)-1])
		}
		return
	}
	if pos != to || err != nil {
		m.t.Errorf("%s; want %d", m.done[len(m.done)-1], to)
	}
	m.pos = to
}

func (m *readerModel) writeTo() {
	w := &shortWriter{most: m.r.IntN(300_000)}
	n, err := m.sr.WriteTo(w)
	m.note("WriteTo at %d = %d, %v", m.pos, n, err)
	left := m.left()
	want := min(w.most, len(left))
	if int(n) != want || (err == nil) != (want == len(left)) || !bytes.Equal(w.Bytes(), left[:want]) {
		m.t.Errorf("%s, and %d bytes; want %d of %d", m.done[len(m.done)-1], w.Len(), want, len(left))
	}
	m.pos += n
}

// shortWriter takes only its first bytes.
type shortWriter struct {
	bytes.Buffer
	most int
}

func (w *shortWriter) Write(b []byte) (int, error) {
	if room := w.most - w.Len(); len(b) > room {
		w.Buffer.Write(b[:room])
		return room, io.ErrShortWrite
	}
	return w.Buffer.Write(b)
}

// grow makes the file longer.
func (m *readerModel) grow() {
	more := testenv.Noise(1 + m.r.IntN(10_000))
	m.note("%d and %d more", len(m.file), len(more))
	if n, err := m.f.WriteAt(more, int64(len(m.file))); n != len(more) || err != nil {
		m.t.Errorf("WriteAt = %d, %v", n, err)
	}
	m.file = append(m.file[:len(m.file):len(m.file)], more...)
}
