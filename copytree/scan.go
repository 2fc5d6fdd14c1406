package copytree

import (
	"slices"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// scan reads the next part of d: the directories in it are queued, the rest is
// b's. It tells whether there is more, for which d is queued again then, to be
// read when the directories are done if there are many.
func (w *worker) scan(d *dir, b *batch) (more bool) {
	more, err := w.read(d)
	if err != nil {
		w.fail(d.up, d.name, d.copied, err)
	}
	var dirs []*dir
	for i := range w.scanned {
		e := &w.scanned[i]
		w.classify(d, e)
		if e.Type == at.Directory {
			dirs = append(dirs, d.child(e.Name, at.Follow(w.o.Follow == FollowAll)))
		} else {
			b.entries = append(b.entries, entry{Entry: *e, fd: -1})
		}
	}
	b.sort()
	fresh := len(dirs)
	d.open.Add(int32(fresh))
	if more {
		dirs = append(dirs, d)
	}
	slices.Reverse(dirs) // the first is the last one that was added
	w.queue.add(w.id, dirs, fresh)
	return more
}

// read reads entries of d into w.scanned: as many as there is room for, in
// memory and in the queue.
func (w *worker) read(d *dir) (more bool, err error) {
	w.scanned = w.scanned[:0]
	if d.seek {
		if err := w.kernel.SeekDir(d.src, d.next); err != nil {
			return false, &fault{"lseek", source, err}
		}
		d.seek = false
	}
	for buf := w.dents; len(buf) >= at.DirentMost; {
		var used int
		w.scanned, used, err = w.kernel.ReadDir(d.src, buf, w.scanned)
		if err != nil {
			return false, &fault{"readdir", source, err}
		}
		if used == 0 {
			return w.cut(d), nil
		}
		buf = buf[used:]
	}
	w.cut(d)
	return true, nil
}

// cut leaves out what follows more directories than the queue has room for, and
// tells whether it has left out something. Who reads on finds it.
func (w *worker) cut(d *dir) bool {
	room := w.queue.room()
	for i := range w.scanned {
		if t := w.scanned[i].Type; t == at.Directory || t == at.Unknown || t == at.Symlink && w.o.Follow == FollowAll {
			room--
		}
		d.next = w.scanned[i].Next
		if room == 0 && i+1 < len(w.scanned) {
			w.scanned = w.scanned[:i+1]
			d.seek = true
			return true
		}
	}
	return false
}

// classify finds out what e is, where the directory does not say or a link is
// followed. If that fails it fails again when e is copied.
func (w *worker) classify(d *dir, e *at.Entry) {
	follow := at.Follow(w.o.Follow == FollowAll)
	if e.Type != at.Unknown && (e.Type != at.Symlink || !bool(follow)) {
		return
	}
	var s at.Stat
	if w.kernel.Stat(d.src, e.Name, follow, &s) == nil {
		e.Type = s.Type()
	} else {
		e.Type = at.Unknown
	}
}
