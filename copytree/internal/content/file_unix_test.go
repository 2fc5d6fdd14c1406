//go:build unix

package content

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// of returns f as a File.
func of(t testing.TB, f *os.File) File {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	st := info.Sys().(*syscall.Stat_t)
	kind := Regular
	if !info.Mode().IsRegular() {
		kind = Stream
	}
	return File{FD: int(f.Fd()), Kind: kind, Size: st.Size, Blocks: int64(st.Blocks), Dev: uint64(st.Dev)} //nolint:unconvert // other widths elsewhere
}

// noise returns n pseudo-random bytes.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(b)
	return b
}
