// Package copytree copies files and trees of files, as cp -r and cp -a do:
//
//	result, err := copytree.Copy(ctx, "backup/photos", "photos", copytree.Options{
//		Preserve: copytree.PreserveAll,
//		Sync:     copytree.SyncFileSystem,
//	})
//
// A tree is walked breadth first. Each directory is opened once, and
// everything in it is done relative to it (openat(2), mkdirat(2), fstatat(2)
// with AT_SYMLINK_NOFOLLOW), so that no path is resolved twice and no symbolic
// link that someone puts there meanwhile is followed. Entries are taken in
// the order of their inodes. What the page cache has is copied by a few
// goroutines with plain calls; what a disk must be asked for waits in the
// [sluice.Scheduler], or in a bounded number of threads.
//
// The data of a file is shared with the copy where the file system can
// (FICLONE), copied inside the kernel where that is quicker
// (splice(2), copy_file_range(2)), and read and written otherwise. Holes stay holes.
//
// # Errors
//
// A file that cannot be copied does not stop the others. Each error is an
// [*Error] with both paths, told to Options.OnError when it happens; Copy's own
// error joins them, up to a bound. What was copied half is removed. A file that is
// copied, but to which an attribute is refused, stays, and the refusal is an error of it.
//
// # Concurrency
//
// Copy and CopyAll may be called by several goroutines at once, for trees that
// do not overlap. The callbacks of one call are made one at a time.
package copytree
