//go:build linux || darwin || freebsd

package scratch

import "golang.org/x/sys/unix"

// FreeSpace returns the number of bytes that this user may still write in dir.
func FreeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil //nolint:unconvert // the types differ between systems
}
