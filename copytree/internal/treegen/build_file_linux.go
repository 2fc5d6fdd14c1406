package treegen

import (
	"os"

	"golang.org/x/sys/unix"
)

// makeFile makes a regular file with its data and holes.
func makeFile(dir int, name string, n Node) error {
	fd, err := unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if err := f.Truncate(n.Size); err != nil {
		return err
	}
	for _, e := range n.Data {
		if err := e.write(f); err != nil {
			return err
		}
	}
	return f.Close()
}

// write writes an extent of a file.
func (e Extent) write(f *os.File) error {
	if e.Fill == Unwritten {
		err := unix.Fallocate(int(f.Fd()), 0, e.Off, e.Len)
		if err == unix.EOPNOTSUPP {
			return nil // the range stays a hole
		}
		return err
	}
	b := make([]byte, min(e.Len, 1<<20))
	for off := int64(0); off < e.Len; off += int64(len(b)) {
		b = b[:min(int64(len(b)), e.Len-off)]
		if e.Fill != Zeros {
			noise(b, e.Fill, off)
		}
		if _, err := f.WriteAt(b, e.Off+off); err != nil {
			return err
		}
	}
	return nil
}
