package direct_test

import (
	"bytes"
	"errors"
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

// TestDirectModel makes random calls on a File, or on two Files of one file in turn, on a slice of
// bytes, and on an *os.File. All must return the same counts, errors, sizes and contents.
func TestDirectModel(t *testing.T) {
	start := seed.Of(t)
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		m := newDirectModel(t, s, dir, rand.New(rand.NewPCG(start, 0)))
		defer m.close()
		for range *testenv.DiffN / 4 {
			if m.step(); t.Failed() {
				t.Log(strings.Join(m.done[max(0, len(m.done)-20):], "\n"))
				return
			}
		}
		m.compare()
	})
}

// directModel is a file three times.
type directModel struct {
	t      *testing.T
	r      *rand.Rand
	s      *sluice.Scheduler
	name   string
	ours   [2]*direct.File
	theirs *os.File
	want   []byte // the file's contents
	mem    []byte // for transfers; at a page's start
	done   []string
}

const (
	directMost = 5 << 19 // 2.5 MiB: more than two of the largest buffers
	directPage = 4 << 10 // 4 KiB
)

func newDirectModel(t *testing.T, s *sluice.Scheduler, dir string, r *rand.Rand) *directModel {
	m := &directModel{t: t, r: r, s: s, name: filepath.Join(dir, "ours"), mem: testenv.AlignedBytes(directMost + 3*directPage)}
	os.Remove(m.name)
	m.theirs = testenv.Must(t, testenv.OSOpen, filepath.Join(dir, "theirs"), os.O_RDWR|os.O_CREATE|os.O_TRUNC).(*os.File)
	for i := range m.ours {
		m.open(i)
	}
	return m
}

func (m *directModel) open(i int) {
	f, err := direct.OpenOn(m.s, m.name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	m.ours[i] = f
}

func (m *directModel) close() {
	for _, f := range m.ours {
		if err := f.Close(); err != nil {
			m.t.Errorf("Close = %v", err)
		}
	}
}

// number returns a random number up to most, often near whole blocks.
func (m *directModel) number(most int) int {
	n := m.r.IntN(most + 1)
	if m.r.IntN(4) > 0 {
		n = m.r.IntN(min(most, 8*directPage) + 1)
	}
	switch unit := 512 << (3 * m.r.IntN(2)); m.r.IntN(4) {
	case 0:
		n = n / unit * unit
	case 1:
		n = n/unit*unit + m.r.IntN(5) - 2
	}
	return min(max(n, 0), most)
}

// offset returns a random offset, often near the end of the file.
func (m *directModel) offset() int64 {
	if m.r.IntN(3) == 0 {
		return int64(max(0, len(m.want)+m.r.IntN(7)-3))
	}
	return int64(m.number(directMost / 2))
}

// memory returns n bytes somewhere in mem.
func (m *directModel) memory(n int) []byte {
	at := 0
	switch m.r.IntN(4) {
	case 0:
		at = m.r.IntN(directPage)
	case 1:
		at = 512 * m.r.IntN(8)
	}
	return m.mem[directPage+at:][:n]
}

func (m *directModel) step() {
	f := m.ours[m.r.IntN(2)]
	switch k := m.r.IntN(32); {
	case k < 14:
		m.write(f)
	case k < 26:
		m.read(f)
	case k < 28:
		size := m.offset()
		m.note("Truncate(%d)", size)
		m.same(f.Truncate(size), m.theirs.Truncate(size))
		m.resize(size)
	case k < 29:
		if m.r.IntN(2) == 0 {
			m.note("Sync")
			m.same(f.Sync(), nil)
		} else {
			m.note("Datasync")
			m.same(f.Datasync(), nil)
		}
	case k < 30:
		m.reserve(f)
	case k < 31:
		m.punch(f)
	default:
		i := m.r.IntN(2)
		m.note("Close, open")
		m.same(m.ours[i].Close(), nil)
		m.open(i)
	}
	m.sizes(m.ours[m.r.IntN(2)])
	if m.r.IntN(50) == 0 {
		m.compare()
	}
}

func (m *directModel) note(format string, args ...any) {
	m.done = append(m.done, fmt.Sprintf(format, args...))
}

func (m *directModel) same(got, want error) {
	if testenv.Describe(got, filepath.Dir(m.name)) != testenv.Describe(want, filepath.Dir(m.name)) {
		m.t.Errorf("%s = %v; want %v", m.done[len(m.done)-1], got, want)
	}
}

func (m *directModel) resize(size int64) {
	if n := int(size) - len(m.want); n > 0 {
		m.want = append(m.want, make([]byte, n)...)
	}
	m.want = m.want[:size]
}

func (m *directModel) write(f *direct.File) {
	off, n := m.offset(), m.number(directMost/2)
	b := m.memory(n)
	for i := range b {
		b[i] = byte(m.r.Uint32())
	}
	before := testenv.Sum(b)
	m.note("WriteAt %d bytes at %d of %d", n, off, len(m.want))
	got, err := f.WriteAt(b, off)
	want, wantErr := m.theirs.WriteAt(b, off)
	if got != want || err != nil || wantErr != nil || testenv.Sum(b) != before {
		m.t.Errorf("%s = %d, %v; want %d, %v", m.done[len(m.done)-1], got, err, want, wantErr)
	}
	if n > 0 && off+int64(n) > int64(len(m.want)) {
		m.resize(off + int64(n))
	}
	copy(m.want[min(int(off), len(m.want)):], b)
}

func (m *directModel) read(f *direct.File) {
	off, n := m.offset(), m.number(directMost/2)
	b := m.memory(n)
	for i := range m.mem {
		m.mem[i] = 0xa5
	}
	m.note("ReadAt %d bytes at %d of %d", n, off, len(m.want))
	got, err := f.ReadAt(b, off)
	want := min(n, max(0, len(m.want)-int(off)))
	var wantErr error
	if want < n {
		wantErr = io.EOF
	}
	if got != want || err != wantErr {
		m.t.Errorf("%s = %d, %v; want %d, %v", m.done[len(m.done)-1], got, err, want, wantErr)
		return
	}
	if want > 0 && !bytes.Equal(b[:want], m.want[off:][:want]) {
		m.t.Errorf("%s: other bytes", m.done[len(m.done)-1])
	}
	for i := range b {
		b[i] = 0xa5 // the call may have used the rest of b
	}
	if bytes.Count(m.mem, []byte{0xa5}) != len(m.mem) {
		m.t.Errorf("%s: bytes outside of b were changed", m.done[len(m.done)-1])
	}
}

func (m *directModel) reserve(f *direct.File) {
	off, n := m.offset(), int64(1+m.number(directMost/2))
	m.note("Allocate(%d, %d)", off, n)
	if err := f.Allocate(off, n); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		m.t.Error(err)
	}
}

func (m *directModel) punch(f *direct.File) {
	off, n := m.offset(), int64(1+m.number(directMost/2))
	m.note("PunchHole(%d, %d)", off, n)
	err := f.PunchHole(off, n)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		m.t.Error(err)
	}
	if end := min(off+n, int64(len(m.want))); off < end {
		clear(m.want[off:end])
		m.theirs.WriteAt(m.want[off:end], off)
	}
}

// sizes compares the File's size with the size that the system reports.
func (m *directModel) sizes(f *direct.File) {
	size, err := f.Size()
	info, err1 := os.Stat(m.name)
	if err != nil || err1 != nil || size != info.Size() || size != int64(len(m.want)) {
		m.t.Errorf("after %s: Size = %d, %v; os.Stat has %v, %v; want %d", m.done[len(m.done)-1], size, err, info.Size(), err1, len(m.want))
	}
}

// compare compares the contents that other descriptors read.
func (m *directModel) compare() {
	a, err := os.ReadFile(m.name)
	b, err1 := os.ReadFile(m.theirs.Name())
	if err != nil || err1 != nil || !bytes.Equal(a, b) || !bytes.Equal(a, m.want) {
		m.t.Errorf("%d bytes (%08x), %v; os has %d (%08x), %v; want %d (%08x)", len(a), testenv.Sum(a), err, len(b), testenv.Sum(b), err1, len(m.want), testenv.Sum(m.want))
	}
}
