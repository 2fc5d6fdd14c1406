package testenv

import (
	"fmt"
	"hash/crc32"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

// PageSize is the size of a page in the tests: 4 KiB.
const PageSize = 4 << 10

// Must returns the file of open. The end of the test closes it.
func Must(t *testing.T, open Opener, name string, flag int) FileAPI {
	t.Helper()
	f, err := open(name, flag, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Must1 returns x, and panics on an error.
func Must1[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// Twenty is a text of twenty bytes.
const Twenty = "twenty bytes of text"

// Write writes text to the named file.
func Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Contents prints a file's mode and contents.
func Contents(t *testing.T, name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return "nothing"
	}
	b, _ := os.ReadFile(name)
	return fmt.Sprintf("%v %q", info.Mode(), b)
}

// Opened prints the results of a function that opens a file.
func Opened[F FileAPI](f F, err error) func(dir string) string {
	return func(dir string) string {
		if err != nil {
			return Describe(err, dir)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return "Stat: " + Describe(err, dir)
		}
		return Inside(f.Name(), dir) + " " + info.Mode().String()
	}
}

// Sum returns a checksum of b.
func Sum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// AlignedBytes returns n bytes that start at a page.
func AlignedBytes(n int) []byte {
	b := make([]byte, n+PageSize)
	start := -uintptr(unsafe.Pointer(&b[0])) & (PageSize - 1)
	return b[start:][:n:n]
}

// Noise returns n random bytes, always the same.
func Noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// DirectNoise opens a direct.File of n random bytes, and returns both.
func DirectNoise(t *testing.T, s *sluice.Scheduler, n int) (*direct.File, []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "noise")
	noise := Noise(n)
	if err := os.WriteFile(name, noise, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, noise
}

// Pattern returns the byte at off of a file in which each byte depends on its offset, and none is
// zero.
func Pattern(off int64) byte { return byte(off*7+off>>8*13+off>>16) | 1 }

// HasPattern requires size bytes of the Pattern in the named file, and at most more other bytes
// after them.
func HasPattern(t testing.TB, name string, size, more int64) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil || int64(len(b)) < size || int64(len(b)) > size+more {
		t.Errorf("%d bytes, %v; want %d, or up to %d more", len(b), err, size, more)
		return
	}
	for i := range size {
		if b[i] != Pattern(i) {
			t.Errorf("byte %d of %d is %#x; want %#x", i, size, b[i], Pattern(i))
			return
		}
	}
}

// ExampleFile makes a file for an example.
func ExampleFile(text string) (name string, remove func()) {
	dir, err := os.MkdirTemp("", "sluice")
	if err != nil {
		log.Fatal(err)
	}
	name = filepath.Join(dir, "data")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	return name, func() { os.RemoveAll(dir) }
}
