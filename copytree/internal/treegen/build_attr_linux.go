package treegen

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// attributes sets a node's attributes, without its times. The order matters: chown removes suid, an
// attribute needs a process that may write, and an ACL sets the mode.
func attributes(_ *walker, dir int, name string, n Node) error {
	if n.Kind == HardLink {
		return nil
	}
	if os.Geteuid() == 0 {
		if err := unix.Fchownat(dir, name, n.UID, n.GID, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return fmt.Errorf("chown: %w", err)
		}
	}
	if n.Kind == Symlink {
		return nil
	}
	at := inDir(dir, name)
	for _, x := range n.Xattrs {
		if err := unix.Lsetxattr(at, x.Name, x.Value(), 0); err != nil {
			return fmt.Errorf("setxattr %q of %d bytes: %w", x.Name, x.Len, err)
		}
	}
	if err := unix.Fchmodat(dir, name, n.Mode, 0); err != nil {
		return fmt.Errorf("chmod: %w", err)
	}
	return setACLs(at, n)
}

func setACLs(at string, n Node) error {
	if n.ACL != nil {
		if err := unix.Lsetxattr(at, aclAccess, n.ACL.encode(), 0); err != nil {
			return fmt.Errorf("ACL %v: %w", n.ACL, err)
		}
	}
	if n.Default != nil {
		if err := unix.Lsetxattr(at, aclDefault, n.Default.encode(), 0); err != nil {
			return fmt.Errorf("default ACL %v: %w", n.Default, err)
		}
	}
	return nil
}

func times(_ *walker, dir int, name string, n Node) error {
	if n.Kind == HardLink {
		return nil
	}
	atime, err1 := n.Atime.timespec()
	mtime, err2 := n.Mtime.timespec()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return unix.UtimesNanoAt(dir, name, []unix.Timespec{atime, mtime}, unix.AT_SYMLINK_NOFOLLOW)
}

// timespec returns t for system calls. It fails if the system's times have 32 bits and t does not
// fit.
func (t Time) timespec() (unix.Timespec, error) {
	return unix.TimeToTimespec(time.Unix(t.Sec, t.Nsec))
}

// inDir returns a path of a name in an open directory, for calls that take no directory.
func inDir(dir int, name string) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir, name)
}
