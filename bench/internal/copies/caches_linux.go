package copies

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/tree"
)

// dropAll is the kernel's switch for the page cache, names and inodes.
// Tests have another file.
var dropAll = "/proc/sys/vm/drop_caches"

// canDropAll reports whether dropCaches can do more than take files out of the
// page cache.
func canDropAll() bool { return unix.Access(dropAll, unix.W_OK) == nil }

// dropCaches takes the tree out of memory, with all there is if that is allowed.
func dropCaches(dir string) error {
	if err := syncFS(dir); err != nil { // what is dirty is not dropped
		return err
	}
	// 3 is the page cache, names and inodes, see proc_sys_vm(5).
	// Without root, and in most containers, the files alone can be taken out.
	if write(dropAll, "3") == nil {
		return nil
	}
	return tree.Evict(dir)
}

// write does not make the file, as os.WriteFile would.
func write(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// syncFS writes all of the file system of dir, and tells what went wrong with it
// since dir was opened.
func syncFS(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return os.NewSyscallError("syncfs", unix.Syncfs(int(f.Fd())))
}

// threadCPU returns the processor time of this thread.
func threadCPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
