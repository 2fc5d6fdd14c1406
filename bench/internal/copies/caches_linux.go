package copies

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/tree"
)

// dropAll is the kernel's file for dropping the page cache, names and inodes. Tests replace it.
var dropAll = "/proc/sys/vm/drop_caches"

// canDropAll reports whether dropCaches can drop more than the contents of files.
func canDropAll() bool { return unix.Access(dropAll, unix.W_OK) == nil }

// dropCaches drops the tree from memory, and everything else, too, if that is allowed.
func dropCaches(dir string) error {
	if err := syncFS(dir); err != nil { // dirty pages are not dropped
		return err
	}
	// 3 drops the page cache, names and inodes (proc_sys_vm(5)). Without root, and in most
	// containers, only the contents of the tree's files can be dropped.
	if write(dropAll, "3") == nil {
		return nil
	}
	return tree.Evict(dir)
}

// write writes to a file that exists. os.WriteFile would create it.
func write(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// syncFS writes back the file system of dir. It returns an error that the file system had since dir
// was opened.
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
