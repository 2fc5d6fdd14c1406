package treecmp

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

func checksum(s string) uint32 { return crc32.ChecksumIEEE([]byte(s)) }

// contents compares the sizes, bytes and holes of a regular file.
func (c *comparison) contents(path string, a, b at, sa, sb *unix.Stat_t) error {
	if sa.Size != sb.Size {
		c.differ(path, "size", sa.Size, sb.Size)
		return nil
	}
	if sa.Size == 0 {
		return nil
	}
	fa, err := a.openFile()
	if err != nil {
		return err
	}
	defer fa.Close()
	fb, err := b.openFile()
	if err != nil {
		return err
	}
	defer fb.Close()
	if err := c.holes(path, fa, fb, sa); err != nil {
		return err
	}
	return c.bytes(path, fa, fb)
}

func (a at) openFile() (*os.File, error) {
	fd, err := a.open(0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), a.name), nil
}

// bytes compares the bytes of two files, up to the first difference.
func (c *comparison) bytes(path string, a, b *os.File) error {
	var ba, bb [64 << 10]byte
	for off := int64(0); ; off += int64(len(ba)) {
		na, err := a.ReadAt(ba[:], off)
		if err != nil && err != io.EOF {
			return err
		}
		nb, err := b.ReadAt(bb[:], off)
		if err != nil && err != io.EOF {
			return err
		}
		if !bytes.Equal(ba[:na], bb[:nb]) {
			i := 0
			for i < min(na, nb) && ba[i] == bb[i] {
				i++
			}
			c.differ(path, fmt.Sprintf("bytes from %d", off+int64(i)), window(ba[i:na]), window(bb[i:nb]))
			return nil
		}
		if na < len(ba) {
			return nil
		}
	}
}

func window(b []byte) string { return fmt.Sprintf("%x", b[:min(len(b), 16)]) }

// holes compares the ranges of data in the files.
func (c *comparison) holes(path string, a, b *os.File, sa *unix.Stat_t) error {
	kept := c.Aspect&HolesKept != 0 && sa.Blocks*512 < sa.Size
	if !kept && c.Aspect&Holes == 0 {
		return nil
	}
	ma, err := dataOf(a, sa.Size)
	if err != nil {
		return err
	}
	mb, err := dataOf(b, sa.Size)
	if err != nil {
		return err
	}
	if c.Aspect&Holes != 0 && !slices.Equal(ma, mb) || kept && !within(mb, ma) {
		c.differ(path, "data", ma, mb)
	}
	return nil
}

// segment is a range of data in a file.
type segment struct{ from, to int64 }

// dataOf returns the segments of a file with size bytes.
func dataOf(f *os.File, size int64) (all []segment, err error) {
	for off := int64(0); off < size; {
		data, err := unix.Seek(int(f.Fd()), off, unix.SEEK_DATA)
		if err == unix.ENXIO {
			break // a hole up to the end
		}
		if err != nil {
			return nil, fmt.Errorf("SEEK_DATA in %q: %w", f.Name(), err)
		}
		if off, err = unix.Seek(int(f.Fd()), data, unix.SEEK_HOLE); err != nil {
			return nil, fmt.Errorf("SEEK_HOLE in %q: %w", f.Name(), err)
		}
		all = append(all, segment{data, off})
	}
	return all, nil
}

// within reports whether each of some segments is inside one of all segments.
func within(some, all []segment) bool {
	for _, s := range some {
		if !slices.ContainsFunc(all, func(a segment) bool { return a.from <= s.from && s.to <= a.to }) {
			return false
		}
	}
	return true
}
