package walk

import (
	"slices"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/queue"
)

// scan reads the next part of d. It queues its directories, and puts its other entries into b. If d
// has more entries, it queues d again behind those directories, and returns true.
func (w *worker) scan(d *dirs.Dir, b *queue.Batch) (more bool) {
	more, err := w.read(d)
	if err != nil {
		w.job.Fail(d.Up, d.Name, d.CopyName, err)
	}
	var found []*dirs.Dir
	for i := range w.entries {
		e := &w.entries[i]
		w.setType(d, e)
		if e.Type == at.Directory {
			found = append(found, d.Child(e.Name, w.job.Opt.FollowsEntries()))
		} else {
			b.Entries = append(b.Entries, queue.Entry{Entry: *e, FD: -1})
		}
	}
	b.Sort()
	fresh := len(found)
	d.Unfinished.Add(int32(fresh))
	if more {
		found = append(found, d)
	}
	slices.Reverse(found) // the queue takes the last one first
	w.walk.queue.Add(w.id, found, fresh)
	return more
}

// read reads entries of d into w.entries, as many as memory and the queue have room for.
func (w *worker) read(d *dirs.Dir) (more bool, err error) {
	w.entries = w.entries[:0]
	if d.Seek {
		if err := w.kernel.SeekDir(d.SrcFD, d.Next); err != nil {
			return false, fault.Source("lseek", err)
		}
		d.Seek = false
	}
	for buf := w.dirBuf; len(buf) >= at.MaxDirent; {
		var used int
		w.entries, used, err = w.kernel.ReadDir(d.SrcFD, buf, w.entries)
		if err != nil {
			return false, fault.Source("readdir", err)
		}
		if used == 0 {
			return w.limitDirs(d), nil
		}
		buf = buf[used:]
	}
	w.limitDirs(d)
	return true, nil
}

// limitDirs drops the entries after as many directories as the queue has room for. It reports
// whether it dropped any. They are read again later.
func (w *worker) limitDirs(d *dirs.Dir) bool {
	q := &w.walk.queue
	room := max(1, q.Dirs-q.Waiting())
	for i := range w.entries {
		if t := w.entries[i].Type; t == at.Directory || t == at.Unknown || t == at.Symlink && w.job.Opt.Follow == option.FollowAll {
			room--
		}
		d.Next = w.entries[i].Next
		if room == 0 && i+1 < len(w.entries) {
			w.entries = w.entries[:i+1]
			d.Seek = true
			return true
		}
	}
	return false
}

// setType sets the type of e, if the directory does not tell or symbolic links are followed. If it
// fails, the copy of e will fail in the same way.
func (w *worker) setType(d *dirs.Dir, e *at.Entry) {
	follow := w.job.Opt.FollowsEntries()
	if e.Type != at.Unknown && (e.Type != at.Symlink || !bool(follow)) {
		return
	}
	var s at.Stat
	if w.kernel.Stat(d.SrcFD, e.Name, follow, &s) == nil {
		e.Type = s.Type()
	} else {
		e.Type = at.Unknown
	}
}
