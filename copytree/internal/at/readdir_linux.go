//go:build amd64 || arm64

package at

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// ReadDir appends the next entries of a directory to into, without "." and "..". Their names are in
// the first used bytes of buf, which must have at least MaxDirent bytes. used is 0 at the end of
// the directory.
func (k *Kernel) ReadDir(fd int, buf []byte, into []Entry) (_ []Entry, used int, err error) {
	for {
		if err := k.fault("getdents"); err != nil {
			return into, 0, err
		}
		n := k.held().Getdents(fd, buf)
		if n == -int32(unix.EINTR) {
			continue
		}
		if n <= 0 {
			return into, 0, errno(n)
		}
		return parse(buf[:n], into), int(n), nil
	}
}

// SeekDir sets the position of ReadDir to an Entry.Next of the same directory, possibly from
// another descriptor. 0 is the beginning.
func (k *Kernel) SeekDir(fd int, next int64) error {
	if err := k.fault("lseek"); err != nil {
		return err
	}
	_, err := unix.Seek(fd, next, unix.SEEK_SET)
	return err
}

// Offsets in struct linux_dirent64 (getdents(2)).
const (
	direntOff    = 8
	direntReclen = 16
	direntType   = 18
	direntName   = 19
)

// parse appends the entries in b, a buffer of getdents64(2).
func parse(b []byte, into []Entry) []Entry {
	for len(b) > direntName {
		record := b[:binary.NativeEndian.Uint16(b[direntReclen:])]
		b = b[len(record):]
		name := Name(record[direntName:])
		name = name[:bytes.IndexByte(name, 0)+1]
		if dots(name) {
			continue
		}
		into = append(into, Entry{
			Name: name,
			Ino:  binary.NativeEndian.Uint64(record),
			Next: int64(binary.NativeEndian.Uint64(record[direntOff:])),
			Type: Type(record[direntType]),
		})
	}
	return into
}

// dots reports whether n is "." or "..".
func dots(n Name) bool {
	return n[0] == '.' && (n[1] == 0 || n[1] == '.' && n[2] == 0)
}
