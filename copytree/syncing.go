package copytree

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/durable"
)

// pathString is a path for package durable.
type pathString string

func (p pathString) String() string { return string(p) }

// watch has the file system of a destination be synced in the end.
func (j *job) watch(dev uint64, fd int) error {
	if j.syncer == nil {
		return nil
	}
	return wrong("open", destination, j.syncer.Watch(dev, fd))
}

// addSync hands over a file that is written, to be synced and closed.
func (j *job) addSync(d *dir, name at.Name, fd int) {
	j.report.live.ToSync.Add(1)
	if d.root != nil {
		j.syncer.Add(durable.File{FD: fd, Dir: pathString(d.root.Dst)})
		return
	}
	j.syncer.Add(durable.File{FD: fd, Dir: d, Name: name.String()})
}

// syncDir has a directory that is finished be synced.
func (w *worker) syncDir(d *dir) error {
	fd, err := w.kernel.OpenMade(d.dst, at.Dot, at.NoFollow)
	if err != nil {
		return &fault{"open", destination, err}
	}
	w.report.live.ToSync.Add(1)
	w.syncer.Add(durable.File{FD: fd, Dir: d})
	return nil
}

// syncBase has the directory be synced that a pair's copy is in.
func (j *job) syncBase(d *dir) error {
	if j.syncer == nil || j.o.Sync != SyncFiles || j.stopped.Load() {
		return nil
	}
	fd, err := j.kernel.OpenMade(d.dst, at.Dot, at.NoFollow)
	if err != nil {
		return nil // one that can only be searched; the syncfs does for it
	}
	j.report.live.ToSync.Add(1)
	j.syncer.Add(durable.File{FD: fd, Dir: pathString(split(d.root.Dst).dir)})
	return nil
}
