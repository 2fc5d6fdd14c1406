package treegen

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Able returns the Options that work in dir. It finds them by trying.
func Able(dir string) Options {
	o := Options{Root: os.Geteuid() == 0}
	probe, err := os.MkdirTemp(dir, "able")
	if err != nil {
		return o
	}
	defer os.RemoveAll(probe)
	file := filepath.Join(probe, "file")
	if os.WriteFile(file, nil, 0o600) != nil {
		return o
	}
	for _, n := range []int64{100, 3000, 60000} { // ext4 has room for about 3,900 bytes
		if unix.Lsetxattr(file, "user.x", make([]byte, n), 0) == nil {
			o.MaxXattr = n
		}
	}
	o.Numbers = unix.Mknod(filepath.Join(probe, "device"), unix.S_IFCHR|0o600, int(unix.Mkdev(0xfff, 0xfffff))) == nil
	acl := ACL{{ACLUserObj, 7, 0}, {ACLUser, 7, 1000}, {ACLGroupObj, 5, 0}, {ACLMask, 7, 0}, {ACLOther, 0, 0}}
	o.ACLs = unix.Lsetxattr(file, aclAccess, acl.encode(), 0) == nil
	return o
}
