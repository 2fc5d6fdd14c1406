package offsets

import (
	"os"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/mapped"
)

// TestMappings checks that Map fails at the edges at which mmap(2) does, and has the file's bytes
// elsewhere.
func TestMappings(t *testing.T) {
	everywhere(t, func(t *testing.T, s *sluice.Scheduler, dir string, edge int64) {
		f, err := s.Open(patterned(t, dir, edge))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		end := size(t, f.OSFile())
		for _, a := range ranges(edge) {
			if int64(a.n) <= end-a.off {
				checkMapping(t, f, a)
			}
		}
		if m, err := mapped.Map(f, edge, edge); err == nil {
			t.Errorf("Map of %#x bytes at %#x maps %d bytes", edge, edge, len(m.Bytes()))
		}
	})
}

func checkMapping(t *testing.T, f *sluice.File, a at) {
	want := mmapError(f.OSFile(), a)
	m, err := mapped.Map(f, a.off, int64(a.n))
	if kind(err) != kind(want) {
		t.Errorf("Map of %v = %v; want %v", a, err, want)
	}
	if err != nil {
		return
	}
	defer m.Close()
	p, err := m.Load(0, int64(a.n))
	if err != nil {
		t.Errorf("Load of %v = %d bytes, %v", a, len(p), err)
	}
	file := make([]byte, a.n)
	if _, err := f.ReadAt(file, a.off); err != nil || string(p) != string(file) {
		t.Errorf("Load of %v has other bytes than the file, or %v", a, err)
	}
}

// mmapError returns the error of mmap(2) for the pages of a.
func mmapError(f *os.File, a at) error {
	lead := int(a.off % int64(os.Getpagesize()))
	n := lead + a.n
	b, err := syscall.Mmap(int(f.Fd()), a.off-int64(lead), n, syscall.PROT_READ, syscall.MAP_SHARED)
	if err == nil {
		err = syscall.Munmap(b)
	}
	return err
}
