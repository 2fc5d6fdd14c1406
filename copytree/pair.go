package copytree

import (
	"os"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// pair copies one pair. w is the first worker.
func (j *job) pair(w *worker, p *Pair) {
	src, dst := split(p.Src), split(p.Dst)
	base, err := j.base(p, src.dir, dst.dir)
	if err != nil {
		j.report.fail(false, faultOf(err).of(p.Src, p.Dst))
		return
	}
	defer j.handles.retire(base)
	it := &w.item
	*it = item{in: base, src: src.name, dst: dst.name, fd: -1, out: -1, through: at.FollowsLinks}
	it.follow = at.Follow(j.o.Follow != FollowNone || src.slash)
	if err := j.root(w, it, dst.slash); err != nil {
		j.fail(base, it.src, it.dst, err)
	}
	if err := j.syncBase(base); err != nil {
		j.fail(base, it.src, it.dst, err)
	}
}

// base opens what the paths of a pair are relative to.
func (j *job) base(p *Pair, src, dst string) (_ *dir, err error) {
	d := &dir{root: p, srcDir: src, dstDir: dst, handle: handle{src: -1, dst: -1}}
	if d.src, err = j.kernel.OpenBase(src); err != nil {
		return nil, &fault{"open", source, err}
	}
	if err = wrong("stat", source, j.kernel.Stat(d.src, at.Dot, at.NoFollow, &d.stat)); err == nil {
		err = j.copyBase(d, dst)
	}
	if err != nil {
		j.handles.forget(j.kernel, d)
		return nil, err
	}
	return d, nil
}

func (j *job) copyBase(d *dir, dst string) (err error) {
	if d.dst, err = j.kernel.OpenBase(dst); err != nil {
		return &fault{"open", destination, err}
	}
	var s at.Stat
	if err := j.kernel.Stat(d.dst, at.Dot, at.NoFollow, &s); err != nil {
		return &fault{"stat", destination, err}
	}
	d.copyID, d.copyMode = s.ID, s.Mode
	d.acl = j.o.Preserve&PreserveMode != 0 && !j.o.DryRun
	return j.watch(s.Dev, d.dst)
}

// root copies what a pair is about.
func (j *job) root(w *worker, it *item, enter bool) error {
	if err := j.kernel.Stat(it.in.src, it.src, it.follow, &it.stat); err != nil {
		return &fault{"stat", source, err}
	}
	it.kind = it.stat.Type()
	if it.kind != at.Directory {
		w.copyItem(it)
		return nil
	}
	if j.o.Files && !it.in.root.Alone {
		return &fault{"copy", source, ErrDirectory}
	}
	above, err := j.kernel.Ancestors(it.in.dst)
	if err != nil {
		return &fault{"open", destination, err}
	}
	j.above = above
	d := it.in.child(it.src, it.follow)
	d.copied, d.enter = slices.Clone(it.dst), at.Follow(enter)
	j.tree(w, d)
	return nil
}

// tree copies a directory and all that is in it. w is the first worker; it has the
// others started, and waits for them.
func (j *job) tree(w *worker, d *dir) {
	j.queue.start(d)
	w.crew = &crew{job: j}
	w.crew.start()
	w.work()
	w.crew.wait(&w.counts)
	w.crew = nil
	j.abandon(w)
}

// abandon closes what a copy that was stopped has left open.
func (j *job) abandon(w *worker) {
	ready, dirs := j.queue.end()
	for _, b := range ready {
		b.users = 1
		w.copyBatch(b) // which only closes, as the copy is stopped
	}
	for _, d := range dirs {
		w.left(d) // and so those above it
	}
	j.handles.forgetAll()
}

// place is a path in two: a directory, and a name in it.
type place struct {
	dir   string
	name  at.Name
	slash bool // the path ended with a slash: of a link what it leads to is meant
}

func split(path string) place {
	rest := strings.TrimRight(path, separators)
	slash := rest != path
	if rest == "" && slash {
		return place{path, at.Dot, true}
	}
	i := strings.LastIndexAny(rest, separators)
	name, dir := rest[i+1:], rest[:i+1]
	if name == "." || name == ".." || path == "" {
		return place{path, at.Dot, true} // "" is no directory, and the system says so
	}
	if dir == "" {
		dir = "."
	}
	return place{dir, at.NameOf(name), slash}
}

// separators are the characters that separate a path's elements.
var separators = func() string {
	if os.PathSeparator == '/' {
		return "/"
	}
	return string(os.PathSeparator) + "/"
}()
