package sys

import "golang.org/x/sys/unix"

// readWhole reads a file by plain system calls. Package os would make the Go runtime open
// descriptors, and keep them.
func readWhole(name string) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var b []byte
	buf := make([]byte, 4<<10) // 4 KiB
	for {
		switch n, err := unix.Read(fd, buf); {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return b, nil
		default:
			b = append(b, buf[:n]...)
		}
	}
}
