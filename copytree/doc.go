// Package copytree copies files and trees of files, as cp -r and cp -a do:
//
//	result, err := copytree.Copy(ctx, "backup/photos", "photos", copytree.Options{
//		Preserve: copytree.PreserveAll,
//		Sync:     copytree.SyncFileSystem,
//	})
//
// The command `sluice cp` has all options of GNU cp; it is package gnucp.
//
// A tree is copied directory by directory. Each directory is opened once, and the calls for its
// entries are relative to it (openat(2), mkdirat(2), fstatat(2) with AT_SYMLINK_NOFOLLOW). So no
// path is resolved twice, and Copy follows no symbolic link that another process puts there. A
// few goroutines copy what the page cache has with plain system calls. When a disk must be read,
// they wait in the [sluice.Scheduler] or in a bounded number of threads.
//
// The data of a file is shared with the copy where the file system can do that (FICLONE). A larger
// file is copied inside the kernel (splice(2), copy_file_range(2)), a small one is read and
// written. Holes stay holes.
//
// # Systems
//
//	Linux on amd64, arm64   all of it
//	elsewhere               package os makes the calls, and may resolve a path more than once;
//	                        devices and sockets are not made; extended attributes are not
//	                        copied, which is an error if Options.Require has them
//
// # Errors
//
// A file that cannot be copied does not stop the rest. Each error is an [*Error] with both paths.
// Options.OnError gets it when it happens; the error of Copy joins the first [MaxErrors] of them.
//
//	the error is of            the copy
//	the data                   is removed, also if it has overwritten a file
//	an attribute, an fsync     stays
//
// # Concurrency
//
// Copy may be called by several goroutines at once, for trees that do not overlap. The functions
// of one call's Options are called one at a time.
package copytree
