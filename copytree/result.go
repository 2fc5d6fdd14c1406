package copytree

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Result is the result of a copy, with or without errors.
type Result struct {
	Files, Dirs, Symlinks int64         // made or overwritten
	Links                 int64         // hard links that were made
	Specials              int64         // FIFOs, sockets and devices that were made
	Skipped               int64         // existing files that were left
	Failed                int64         // files and directories with an error
	Cloned                int64         // the part of Files that shares data with the source
	Bytes                 int64         // bytes of data, shared ones included, without holes
	Holes                 int64         // bytes of holes
	Synced                int64         // files and directories for which fsync was called
	Verified              int64         // files that were read back and found equal
	Took                  time.Duration // the whole copy, with its syncs
	Errors                []*Error      // the first MaxErrors errors
}

// MaxErrors is the number of errors that a Result holds, and that Copy's error joins.
// Options.OnError gets all errors, and Result.Failed counts all files.
const MaxErrors = 100

// Progress is the state of a running copy. Its zero value is ready for use by one copy.
type Progress struct{ counters report.Progress }

// State is a snapshot of a copy's progress.
type State struct {
	Files, Dirs       int64  // finished files, and directories that were made
	Bytes             int64  // bytes of data that were copied
	Found, FoundBytes int64  // files that the walk has found, and the sum of their sizes
	Walked            bool   // the walk is done, and Found is final
	Failed            int64  // files and directories with an error
	Syncing           bool   // everything is copied and is being synced
	Synced, ToSync    int64  // fsyncs that have returned, and their final number
	Current           string // a source file that was begun recently, or ""
}

// State returns the state of the copy. Any goroutine may call it at any time.
func (p *Progress) State() State {
	c := &p.counters
	return State{
		Files: c.Files.Load(), Dirs: c.Dirs.Load(), Bytes: c.Bytes.Load(),
		Found: c.Found.Load(), FoundBytes: c.FoundBytes.Load(), Walked: c.Walked.Load(),
		Failed: c.Failed.Load(), Syncing: c.Syncing.Load(), Synced: c.Synced.Load(), ToSync: c.ToSync.Load(),
		Current: c.Current(),
	}
}

// Done is the result for one file of the source.
type Done struct {
	Dst, Src string        // the path of the copy, and of the source
	What     What          // what was done
	Bytes    int64         // bytes of data in the copy, 0 if it is no regular file
	Took     time.Duration // from the first call for the file to the last
}

// What says what was done with a file.
type What uint8

// The values of What.
const (
	Copied      What = iota // a regular file was copied by reading and writing, or in the kernel
	Cloned                  // a regular file shares its data with the source
	Linked                  // a hard link was made
	Symlinked               // a symbolic link was made
	MadeDir                 // a directory was made
	MadeSpecial             // a FIFO, socket or device was made
	Skipped                 // a file existed, and the options said to leave it
	Merged                  // a directory existed
)
