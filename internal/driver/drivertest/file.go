package drivertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// systemFile is a file of the system.
type systemFile struct{ f *os.File }

func createSystemFile(t testing.TB, _ driver.Driver, data []byte) File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return systemFile{open(t, name, os.O_RDWR)}
}

// open opens a file of the system until the test ends.
func open(t testing.TB, name string, flags int) *os.File {
	t.Helper()
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func (f systemFile) FD() int32 { return int32(f.f.Fd()) }

func (f systemFile) Contents(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(f.f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pattern returns n bytes that depend on their offset, so that data from a wrong place differs from
// the right data. With another salt all bytes are different.
func pattern(off int64, n int, salt byte) []byte {
	b := make([]byte, n)
	for i := range b {
		p := uint64(off+int64(i)) >> 3
		b[i] = byte((p*0x9e3779b97f4a7c15)>>(56-8*(uint(i)&3))) ^ byte(off+int64(i)) ^ salt
	}
	return b
}

// same checks bytes, and reports where they first differ.
func (r *rig) same(what string, got, want []byte) {
	r.Helper()
	if bytes.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			r.Errorf("%s: byte %d is %#x; want %#x", what, i, got[i], want[i])
			return
		}
	}
	r.Errorf("%s: %d bytes; want %d", what, len(got), len(want))
}

// show formats a kernel result as strace does.
func show(res int32) string {
	if res >= 0 {
		return strconv.Itoa(int(res))
	}
	return strconv.Itoa(int(res)) + " (" + syscall.Errno(-res).Error() + ")"
}
