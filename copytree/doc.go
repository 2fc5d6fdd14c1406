// Package copytree copies files and trees of files, as cp -r and cp -a do:
//
//	result, err := copytree.Copy(ctx, "backup/photos", "photos", copytree.Options{
//		Preserve: copytree.PreserveAll,
//		Sync:     copytree.SyncFileSystem,
//	})
//
// A tree is copied directory by directory. Each directory is opened once, and the
// calls for its entries are relative to it (openat(2), mkdirat(2), fstatat(2) with
// AT_SYMLINK_NOFOLLOW): no path is resolved twice, and no symbolic link is followed
// that another process puts there meanwhile. Entries are copied in the order of
// their inode numbers. As long as the page cache has what is copied, a few
// goroutines copy it with plain system calls. When a disk must be read, they wait in
// the [sluice.Scheduler] or in a bounded number of threads.
//
// The data of a file is shared with the copy where the file system can do that
// (FICLONE), copied inside the kernel where that is quicker (splice(2),
// copy_file_range(2)), and otherwise read and written. Holes stay holes.
//
// That is so on Linux (amd64 and arm64). Elsewhere package os makes the calls, a path may
// be resolved more than once, devices and sockets cannot be made, and extended attributes
// are not copied, which is an error if Options.Require has them.
//
// # Errors
//
// A file that cannot be copied does not stop the others. Each error is an [*Error]
// with both paths. Options.OnError gets it when it happens, and the error of Copy
// joins the first MaxErrors of them. A copy that is not complete is removed. A copy
// that is complete, but could not get one of its attributes, stays; the refused
// attribute is an error.
//
// # Concurrency
//
// Copy and CopyAll may be called by several goroutines at once, for trees that do
// not overlap. The callbacks of one call are called one at a time.
package copytree
