// Package copytree copies files and trees of files, as cp -r and cp -a do:
//
//	result, err := copytree.Copy(ctx, "backup/photos", "photos", copytree.Options{
//		Preserve: copytree.PreserveAll,
//		Sync:     copytree.SyncFileSystem,
//	})
//
// The command `sluice cp`, in package gnucp, has all options of GNU cp.
//
// Copy works directory by directory. It opens each directory once, and the calls for its entries
// are relative to it (openat(2), mkdirat(2), fstatat(2) with AT_SYMLINK_NOFOLLOW). So no path is
// resolved twice, and Copy follows no symbolic link that another process puts there. A few
// goroutines copy cached files with plain calls. When a disk must be read, they wait in the
// [sluice.Scheduler] or in a bounded number of threads.
//
// If the file system can share a file's data with its copy, Copy lets it (FICLONE). Otherwise the
// kernel copies a larger file (splice(2), copy_file_range(2)), and Copy reads and writes a small
// one. Holes stay holes.
//
// # Systems
//
//	Linux on amd64, arm64   everything
//	elsewhere               package os makes the calls, and may resolve a path more than once;
//	                        devices and sockets are not made; extended attributes are not
//	                        copied, which is an error if Options.Require has them
//
// # Errors
//
// An error of one file does not stop the other files. Each error is an [*Error] with both paths.
// Options.OnError gets it when it happens; the error of Copy joins the first [MaxErrors] of them.
//
//	the error is of            the copy
//	the data                   is removed, also if it has overwritten a file
//	an attribute, an fsync     stays
//
// # Concurrency
//
// Several goroutines may call Copy at once, for trees that do not overlap. The functions in Options
// are called one at a time.
package copytree
