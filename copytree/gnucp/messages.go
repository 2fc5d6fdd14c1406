package gnucp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// refusals has GNU cp's messages for copies that it refuses. %[1]s is the source, %[2]s the
// destination, and %[3]s the destination without quotes if it needs none.
var refusals = map[error]string{
	fault.ErrDirectory:  "-r not specified; omitting directory %[1]s",
	fault.ErrSameFile:   "%[1]s and %[2]s are the same file",
	fault.ErrIntoItself: "cannot copy a directory, %[1]s, into itself, %[2]s",
	fault.ErrTwice:      "will not overwrite just-created %[2]s with %[1]s",
	fault.ErrThrough:    "will not copy %[1]s through just-created symlink %[2]s",
	fault.ErrExists:     "not replacing %[2]s",
	fault.ErrNotDir:     "cannot overwrite non-directory %[2]s with directory %[1]s",
	fault.ErrIsDir:      "cannot overwrite directory %[2]s with non-directory",
	fault.ErrCycle:      "cannot copy cyclic symbolic link %[1]s",
	fault.ErrDangling:   "not writing through dangling symlink %[2]s",
	fault.ErrChanged:    "%[1]s changed while it was copied",
	fault.ErrRelative:   "%[3]s: can make relative symbolic links only in current directory",
	fault.ErrVerify:     "verification failed: %[2]s differs from %[1]s",
}

// GNU cp's messages for failed system calls, without the colon and the cause. The first map is for
// calls on the source, the second for calls on the copy.
var (
	sourceSentences = map[string]string{
		"stat": "cannot stat %[1]s", "lstat": "cannot stat %[1]s", "fstatat": "cannot stat %[1]s", "fstat": "cannot fstat %[1]s",
		"open": "cannot open %[1]s for reading", "openat": "cannot open %[1]s for reading",
		"opendir": "cannot access %[1]s", "readdir": "cannot access %[1]s", "getdents": "cannot access %[1]s",
		"read": "error reading %[1]s", "readlink": "cannot read symbolic link %[1]s", "readlinkat": "cannot read symbolic link %[1]s",
	}
	copySentences = map[string]string{
		"stat": "cannot stat %[2]s", "lstat": "cannot stat %[2]s", "fstatat": "cannot stat %[2]s", "fstat": "cannot fstat %[2]s",
		"open": "cannot create regular file %[2]s", "openat": "cannot create regular file %[2]s",
		"mkdir": "cannot create directory %[2]s", "mkdirat": "cannot create directory %[2]s",
		"write": "error writing %[2]s", "copy_file_range": "error copying %[1]s to %[2]s",
		"ioctl FICLONE": "failed to clone %[2]s from %[1]s", "fallocate": "error writing %[2]s", "ftruncate": "failed to extend %[2]s",
		"link": "cannot create hard link %[2]s to %[1]s", "linkat": "cannot create hard link %[2]s to %[1]s",
		"symlink": "cannot create symbolic link %[2]s", "symlinkat": "cannot create symbolic link %[2]s",
		"mknod": "cannot create special file %[2]s", "mknodat": "cannot create special file %[2]s",
		"mkfifo": "cannot create fifo %[2]s", "mkfifoat": "cannot create fifo %[2]s",
		"unlink": "cannot remove %[2]s", "unlinkat": "cannot remove %[2]s",
		"rename": "cannot backup %[2]s", "renameat": "cannot backup %[2]s",
		"chmod": "preserving permissions for %[2]s", "fchmod": "preserving permissions for %[2]s", "fchmodat": "preserving permissions for %[2]s",
		"chown": "failed to preserve ownership for %[2]s", "fchown": "failed to preserve ownership for %[2]s", "fchownat": "failed to preserve ownership for %[2]s",
		"setxattr system.posix_acl_access": "preserving permissions for %[2]s", "setxattr system.posix_acl_default": "preserving permissions for %[2]s",
		"removexattr": "preserving permissions for %[2]s",
		"utimensat":   "preserving times for %[2]s", "setxattr": "setting attributes for %[2]s", "fsetxattr": "setting attributes for %[2]s",
		"close": "failed to close %[2]s", "fsync": "cannot sync %[2]s", "syncfs": "cannot sync the file system of %[2]s",
	}
)

// message returns the message for an error. kind is the object that the copy makes.
func message(e *report.Error, kind option.Make) string {
	for refusal, sentence := range refusals {
		if errors.Is(e.Err, refusal) {
			return fmt.Sprintf(sentence, quote(e.Src), quote(e.Dst), quoteIfNeeded(e.Dst))
		}
	}
	sentence, ok := "", false
	if e.Path == e.Src {
		sentence, ok = sourceSentences[e.Op]
	}
	if !ok && e.Path == e.Dst { // the two paths may be equal
		sentence, ok = copySentences[e.Op]
	}
	if ok && kind == option.MakeSymlink && strings.HasPrefix(e.Op, "symlink") {
		sentence += " to %[1]s"
	}
	if !ok {
		return "cannot " + e.Op + " " + quote(e.Path) + ": " + causeText(e.Err)
	}
	return fmt.Sprintf(sentence, quote(e.Src), quote(e.Dst)) + ": " + causeText(e.Err)
}
