package sluice_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/places"
	"github.com/sluiceio/sluice/internal/sluicetest"
)

// A disk that loses writes: a loop device on a file of our own file system in user
// space, which refuses a write that has sluicetest.LostMark in it, from arm on. The kernel
// reports such a loss once to each open file description.
// lossy is a file system on such a disk.
type lossy struct {
	dir    string // mounted
	signal string // exists while writes are refused
	files  int    // that were made
}

var lossyKinds = map[string]struct {
	mkfs string
	size int64
}{
	"ext4":  {"mkfs.ext4 -q -F", 64 << 20},
	"xfs":   {"mkfs.xfs -q -f", 300 << 20},
	"btrfs": {"mkfs.btrfs -q -f", 128 << 20},
}

func newLossy(t *testing.T, kind string) *lossy {
	t.Helper()
	served := places.Memory(t)
	mounted := sluicetest.MountFUSE(t, served, "loses")
	image := filepath.Join(mounted, "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, lossyKinds[kind].size)); err != nil {
		t.Fatal(err)
	}
	return &lossy{dir: places.Mount(t, places.LoopOf(t, image), lossyKinds[kind].mkfs, ""), signal: filepath.Join(served, sluicetest.LossName)}
}

// file makes a new file of zeros that is on the disk: btrfs may refuse to cut off
// one that has lost something.
func (l *lossy) file(t *testing.T, size int) string {
	t.Helper()
	l.files++
	name := filepath.Join(l.dir, fmt.Sprint(l.files))
	sluicetest.Write(t, name, strings.Repeat("\x00", size))
	f := sluicetest.Must(t, sluicetest.OSOpen, name, os.O_RDWR).(*os.File)
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// lose has the disk refuse what is marked until do has returned.
func (l *lossy) lose(t *testing.T, do func()) {
	t.Helper()
	if err := os.WriteFile(l.signal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	do()
	if err := os.Remove(l.signal); err != nil {
		t.Fatal(err)
	}
}

// marked is a page that is lost.
func marked() []byte {
	return bytes.Repeat([]byte(sluicetest.LostMark), sluicetest.PageSize)[:sluicetest.PageSize]
}

// onDisk reads a page of the file past what is in memory.
func (l *lossy) onDisk(t *testing.T, name string, off int64) []byte {
	t.Helper()
	f := sluicetest.Must(t, sluicetest.OSOpen, name, os.O_RDONLY).(*os.File)
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, sluicetest.PageSize)
	if _, err := f.ReadAt(b, off); err != nil {
		return nil // it cannot be read: it is not there
	}
	return b
}
