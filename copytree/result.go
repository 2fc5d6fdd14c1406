package copytree

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Result is what a copy has done, also if there were errors.
type Result struct {
	Files, Dirs, Symlinks int64         // made or overwritten
	Links                 int64         // hard links that were made
	Specials              int64         // FIFOs, sockets and devices that were made
	Skipped               int64         // existing files that were left
	Failed                int64         // files and directories with an error
	Cloned                int64         // of Files: these share their data with the source
	Bytes                 int64         // bytes of data, cloned files' included, without holes
	Holes                 int64         // bytes of holes
	Synced                int64         // files and directories for which fsync was called
	Verified              int64         // files that were read back and found equal
	Took                  time.Duration // the whole copy, with its syncs
	Errors                []*Error      // the first MaxErrors of them
}

// MaxErrors is how many errors a Result holds, and how many Copy's error joins. Options.OnError
// gets all of them, and Result.Failed counts all files.
const MaxErrors = 100

// Progress is the state of a copy while it runs. Its zero value is ready for use, by one copy.
type Progress struct{ counters report.Progress }

// State is what a copy has done at one moment.
type State struct {
	Files, Dirs       int64  // finished files, and directories that were made
	Bytes             int64  // bytes of data that were copied
	Found, FoundBytes int64  // files that the walk has come to, and the sum of their sizes
	Walked            bool   // the walk is done, and Found is final
	Failed            int64  // files and directories with an error
	Syncing           bool   // everything is copied, and being synced
	Synced, ToSync    int64  // fsyncs that have returned, of so many
	Current           string // a source file that was begun lately, "" if none was
}

// State returns the state of the copy. It may be called at any time, by any goroutine.
func (p *Progress) State() State {
	c := &p.counters
	return State{
		Files: c.Files.Load(), Dirs: c.Dirs.Load(), Bytes: c.Bytes.Load(),
		Found: c.Found.Load(), FoundBytes: c.FoundBytes.Load(), Walked: c.Walked.Load(),
		Failed: c.Failed.Load(), Syncing: c.Syncing.Load(), Synced: c.Synced.Load(), ToSync: c.ToSync.Load(),
		Current: c.Current(),
	}
}

// Done is what happened to one file of the source.
type Done struct {
	Dst, Src string        // the path of the copy, and of the source
	What     What          // what was done
	Bytes    int64         // bytes of data in the copy, 0 if it is no regular file
	Took     time.Duration // from the first call for the file to the last
}

// What says what was done with a file.
type What uint8

// The things that are done.
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
