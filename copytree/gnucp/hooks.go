package gnucp

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

// errFull is the cause of the context when a full destination ends the copy.
var errFull = errors.New("the destination is full")

// hook sets the hooks and counters that the engine uses.
func (r *run) hook(in io.Reader) {
	s := r.settings
	r.options.Progress = &r.progress
	r.options.OnError = r.onError
	r.options.OnWait = moreProcessors
	_, r.options.WriteDangling = os.LookupEnv("POSIXLY_CORRECT")
	if s.verbose || s.dryRun {
		r.options.OnDone = r.onDone
	}
	if r.backups.kind != backupNone {
		r.options.Backup = r.backups.name
		r.options.NumberedBackup = r.backups.kind == backupNumbered
	}
	if s.interactive {
		r.asker = newAsker(in, r.screen, s.force || s.remove)
		r.options.Ask = r.asker.ask
	}
}

// openTerminal decides whether there is a progress line. It returns the time after which a copy
// shows the line.
func (r *run) openTerminal(err io.Writer) (quiet time.Duration) {
	wanted := r.settings.progress
	if wanted == nil || *wanted {
		r.screen.terminal = newTerminal(err)
	}
	if wanted != nil && *wanted {
		return 0
	}
	return quietFor
}

// onError reports an error. The first error of a full destination ends the copy, and later ones are
// not reported: every remaining file would fail.
func (r *run) onError(e *report.Error) {
	if e.Full() {
		if r.isFull {
			return
		}
		r.isFull = true
		r.full(errFull)
	}
	r.fail(copyError(e, r.options.Make))
}

// onDone prints the line of -v for a file.
func (r *run) onDone(d report.Done) {
	switch {
	case r.alone[d.Dst], d.What == report.Merged:
		return
	case d.What == report.Skipped:
		r.screen.print("skipped " + quote(d.Dst) + "\n")
		return
	}
	line := quote(d.Src) + " -> " + quote(d.Dst)
	if d.Backup != "" {
		line += " (backup: " + quote(d.Backup) + ")"
	}
	if d.Removed {
		line = "removed " + quote(d.Dst) + "\n" + line
	}
	r.screen.print(line + "\n")
}
