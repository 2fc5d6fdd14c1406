package copytree

import (
	"sync/atomic"
	"time"
)

// Result is what a copy has done, also if there were errors.
type Result struct {
	Files, Dirs, Symlinks, Links, Specials int64         // made or overwritten; Links are hard links
	Skipped                                int64         // existing files that were left
	Failed                                 int64         // files and directories with an error, whether there is a copy or not
	Cloned                                 int64         // those of Files that share their data with the source
	Bytes                                  int64         // bytes of data, including those of cloned files, without holes
	Holes                                  int64         // bytes of holes
	Synced                                 int64         // files and directories for which fsync was called
	Verified                               int64         // files that were read back and found equal
	Took                                   time.Duration // the whole copy, with its syncs
	Errors                                 []*Error      // the first MaxErrors of them
}

// MaxErrors is how many errors a Result holds, and how many Copy's error joins.
// Options.OnError gets all of them, and Result.Failed counts all files.
const MaxErrors = 100

// Progress is the state of a copy while it runs. Its fields may be read at any time. A copy adds to
// the numbers that it finds, and resets nothing: use a new Progress for each copy.
type Progress struct {
	Files, Dirs atomic.Int64 // finished files, and directories that were made
	Bytes       atomic.Int64 // bytes of data that were copied
	Found       atomic.Int64 // files that the walk has come to
	FoundBytes  atomic.Int64 // the sum of their sizes
	Walked      atomic.Bool  // the walk is done, and Found is final
	Syncing     atomic.Bool  // everything is copied, and being synced
	ToSync      atomic.Int64 // fsyncs to be called
	Synced      atomic.Int64 // fsyncs that have returned
	Failed      atomic.Int64 // files and directories with an error
	current     atomic.Pointer[string]
}

// Current returns the path of a source file that was begun lately: each large file,
// and some of the others. It returns "" if none was begun.
func (p *Progress) Current() string {
	if s := p.current.Load(); s != nil {
		return *s
	}
	return ""
}

// Done is what happened to one file of the source.
type Done struct {
	Dst, Src string        // the path of the copy, and of the source
	What     What          // what was done
	Bytes    int64         // bytes of data in the copy, 0 if it is no regular file
	Took     time.Duration // from the first call for the file to the last
	Backup   string        // the new name of an existing file that was renamed
	Removed  bool          // an existing file was removed, rather than written to or renamed
}

// What says what was done with a file.
type What uint8

// The things that are done.
const (
	Copied      What = iota // a regular file was copied by reading and writing, or inside the kernel
	Cloned                  // a regular file shares its data with the source
	Linked                  // a hard link was made
	Symlinked               // a symbolic link was made
	MadeDir                 // a directory was made
	MadeSpecial             // a FIFO, socket or device was made
	Skipped                 // a file existed, and the options said to leave it
	Merged                  // a directory existed
)
