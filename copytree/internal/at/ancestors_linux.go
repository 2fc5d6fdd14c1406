//go:build amd64 || arm64

package at

import "golang.org/x/sys/unix"

// maxDepth is more directories than can be above another. It bounds a loop.
const maxDepth = 1 << 20

// Ancestors returns the IDs of the directory and of all directories above it.
func (k *Kernel) Ancestors(dir int) ([]ID, error) {
	var ids []ID
	up := dir
	for range maxDepth {
		var s Stat
		err := k.Stat(up, Dot, NoFollow, &s)
		last := len(ids) > 0 && s.ID == ids[len(ids)-1]
		next := -1
		if err == nil && !last {
			ids = append(ids, s.ID)
			next, err = fd(k.openat(up, DotDot, unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0))
		}
		if up != dir {
			_ = unix.Close(up)
		}
		if err != nil || last {
			return ids, err
		}
		up = next
	}
	return ids, unix.ELOOP
}
