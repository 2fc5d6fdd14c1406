package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// archive writes an initramfs: an uncompressed cpio archive in the format "newc"
// (Documentation/driver-api/early-userspace of Linux).
type archive struct {
	w    *bufio.Writer
	dirs map[string]bool
	ino  int
	err  error
}

func newArchive(w io.Writer) *archive {
	return &archive{w: bufio.NewWriter(w), dirs: make(map[string]bool)}
}

// add adds a file, and the directories above it.
func (a *archive) add(name string, mode os.FileMode, text []byte) {
	name = strings.TrimPrefix(name, "/")
	for i, c := range name {
		if c == '/' && !a.dirs[name[:i]] {
			a.dirs[name[:i]] = true
			a.entry(name[:i], 0o40755, nil)
		}
	}
	a.entry(path.Clean(name), 0o100000|uint32(mode.Perm()), text)
}

// entry writes the header, the name and the contents, each padded to a multiple of 4 bytes.
func (a *archive) entry(name string, mode uint32, text []byte) {
	if a.err != nil {
		return
	}
	a.ino++
	fields := []int{a.ino, int(mode), 0, 0, 1, 0, len(text), 0, 0, 0, 0, len(name) + 1, 0}
	header := "070701"
	for _, f := range fields {
		header += fmt.Sprintf("%08X", f)
	}
	header += name + "\x00"
	header += strings.Repeat("\x00", -len(header)&3)
	for _, part := range []string{header, string(text), strings.Repeat("\x00", -len(text)&3)} {
		if _, a.err = a.w.WriteString(part); a.err != nil {
			return
		}
	}
}

// close ends the archive.
func (a *archive) close() error {
	a.entry("TRAILER!!!", 0, nil)
	if a.err != nil {
		return a.err
	}
	return a.w.Flush()
}
