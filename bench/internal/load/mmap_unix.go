//go:build unix

package load

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openMmap maps the file. An operation touches each page of the block.
func openMmap(s Setup) (*target, error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	all, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("mmap", err), f.Close())
	}
	// No read-ahead, like the other sides.
	if err := unix.Madvise(all, unix.MADV_RANDOM); err != nil {
		return nil, errors.Join(os.NewSyscallError("madvise", err), unix.Munmap(all), f.Close())
	}
	size := int64(s.Load.Size)
	return &target{
		close:   func() error { return errors.Join(unix.Munmap(all), f.Close()) },
		buffers: func() int64 { return 0 },
		each: func(int) func([]byte, int64) error {
			var sum byte // of one client
			return func(_ []byte, off int64) error {
				sum += touch(all[off : off+size])
				return nil
			}
		},
	}, nil
}
