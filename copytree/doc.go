// Package copytree copies files and trees of files, as cp -r and cp -a do:
//
//	result, err := copytree.Copy(ctx, "backup/photos", "photos", copytree.Options{
//		Preserve: copytree.PreserveAll,
//		Sync:     copytree.SyncFileSystem,
//	})
//
// Package gnucp, the command `sluice cp`, has the options of GNU cp.
//
// Copy opens each directory once, and names its entries relative to the directory (openat(2),
// mkdirat(2)). So no path is resolved twice, and Copy follows no symbolic link that another process
// puts into the tree. Files are copied by several goroutines at a time. Where a file must be read
// from the disk, they use a [sluice.Scheduler].
//
// If the file system can share the data of a file with its copy (FICLONE), the copy takes no room.
// Holes stay holes.
//
// # Systems
//
//	Linux on amd64, arm64   everything
//	other systems           paths may be resolved more than once; devices and sockets are not
//	                        made; extended attributes are not copied, which is an error if
//	                        Options.Require has them
//
// # Errors
//
// If a file cannot be copied, Copy goes on with the other files. Each error is an [*Error] with
// both paths. Options.OnError gets every error when it happens, and the error of Copy joins the
// first [MaxErrors] errors.
//
// If the data of a file cannot be copied, Copy removes the incomplete copy, even if it is in an
// existing file that Copy has overwritten. If an attribute or an fsync fails, the copy stays.
//
// # Concurrency
//
// Several goroutines may call Copy at once, for trees that do not overlap. The functions in Options
// are called one at a time.
package copytree
