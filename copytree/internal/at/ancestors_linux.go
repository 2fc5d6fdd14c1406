//go:build amd64 || arm64

package at

import "golang.org/x/sys/unix"

// maxDepth is larger than the depth of any directory. It bounds a loop.
const maxDepth = 1 << 20

// Ancestors returns the IDs of a directory and of all directories above it, the nearest first. The
// first one has this name in dir; if it does not exist, dir is the first. The list ends, without an
// error, at a directory that the process may not search.
func (k *Kernel) Ancestors(dir int, name Name, f Follow) ([]ID, error) {
	up, err := k.openPath(dir, name, f)
	if err != nil {
		up, err = k.openPath(dir, Dot, NoFollow)
	}
	var ids []ID
	var raw Raw
	for err == nil && len(ids) < maxDepth {
		var s Stat
		next := -1
		err = k.Fstat(up, &raw, &s) // unlike fstatat(2) of ".", it needs no search permission
		top := err == nil && len(ids) > 0 && s.ID == ids[len(ids)-1]
		if err == nil && !top {
			ids = append(ids, s.ID)
			next, err = k.openPath(up, DotDot, NoFollow)
		}
		_ = unix.Close(up)
		if top {
			return ids, nil
		}
		up = next
	}
	switch {
	case err == unix.EACCES:
		return ids, nil
	case err != nil:
		return ids, err
	}
	_ = unix.Close(up)
	return ids, unix.ELOOP
}

// openPath opens a directory to reach the names in it. The process needs no permission to read it.
func (k *Kernel) openPath(dir int, name Name, f Follow) (int, error) {
	flags := unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY
	if !f {
		flags |= unix.O_NOFOLLOW
	}
	return fd(k.openat(dir, name, flags, 0))
}
