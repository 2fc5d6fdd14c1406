package copytree

import "github.com/sluiceio/sluice/copytree/internal/at"

// sameness is what a source and the file at the place of its copy are to each other.
type sameness uint8

const (
	unlike sameness = iota // two files, or one that loses nothing by the copy
	asIs                   // the file is what was to be made
	same                   // the copy would destroy the source
)

// comparison compares a source with the file at the place of its copy. The rules are
// those of GNU cp (same_file_ok in copy.c of coreutils 9.1), in their order.
type comparison struct {
	*worker
	it       *item
	src, dst at.Stat // of the names themselves, if links are followed; else what they are taken for
}

// sameFile compares the source with the file at the place of its copy. s describes that
// file.
func (w *worker) sameFile(it *item, s *at.Stat) sameness {
	c := comparison{w, it, it.stat, *s}
	switch {
	case s.Type() == at.Symlink && !bool(it.through) && it.kind != at.Symlink && !w.linking():
		return unlike // only the link is replaced
	case s.ID == it.stat.ID && w.o.Make == MakeHardLink:
		return asIs
	case !w.followsNothing(it):
		return c.followed(s)
	case c.bothLinks():
		return c.links()
	}
	return c.names()
}

func (c *comparison) bothLinks() bool {
	return c.src.Type() == at.Symlink && c.dst.Type() == at.Symlink
}

// links compares two symbolic links that are copied as such.
func (c *comparison) links() sameness {
	switch {
	case c.sameName(c.it):
		return same
	case c.src.ID == c.dst.ID && c.o.Backup == nil:
		return asIs
	}
	return unlike
}

// followed compares by what links lead to, and then the names.
func (c *comparison) followed(s *at.Stat) sameness {
	if s.ID != c.it.stat.ID {
		return unlike
	}
	k := c.kernel
	if k.Stat(c.it.in.src, c.it.src, at.NoFollow, &c.src) != nil || k.Stat(c.it.in.dst, c.it.dst, at.NoFollow, &c.dst) != nil {
		return unlike
	}
	if c.bothLinks() && c.o.Unlink {
		return unlike
	}
	return c.names()
}

// names compares two names, at most one of which is a symbolic link's.
func (c *comparison) names() sameness {
	one := c.src.ID == c.dst.ID
	srcLink, dstLink := c.src.Type() == at.Symlink, c.dst.Type() == at.Symlink
	switch {
	case c.o.Backup != nil:
		return c.backedUp(one, srcLink && !dstLink)
	case c.o.Unlink && (dstLink || one && c.dst.Nlink > 1 && !c.sameName(c.it)):
		return unlike
	case !srcLink && !dstLink && !one:
		return unlike
	case !srcLink && !dstLink && c.o.Make == MakeHardLink:
		return asIs
	case c.o.Make == MakeSymlink && dstLink:
		return unlike
	case c.followsNothing(c.it):
		return c.ends(srcLink, dstLink)
	}
	return same
}

// backedUp compares them where the file at the copy's place gets another name. A link
// to it would lead nowhere then.
func (c *comparison) backedUp(one, linkToFile bool) sameness {
	lost := linkToFile && !c.followsNothing(c.it)
	if one {
		lost = c.sameName(c.it)
	}
	if lost {
		return same
	}
	return unlike
}

// ends compares what the names lead to, though links are not followed.
func (c *comparison) ends(srcLink, dstLink bool) sameness {
	src, dst := c.src, c.dst
	if srcLink && c.kernel.Stat(c.it.in.src, c.it.src, at.FollowsLinks, &src) != nil ||
		dstLink && c.kernel.Stat(c.it.in.dst, c.it.dst, at.FollowsLinks, &dst) != nil || src.ID != dst.ID {
		return unlike
	}
	switch {
	case c.o.Make != MakeHardLink:
		return same
	case dstLink:
		return unlike
	}
	return asIs
}

// sameName reports whether source and destination are one name in one directory.
func (w *worker) sameName(it *item) bool {
	return it.in.stat.ID == it.in.copyID && string(it.src) == string(it.dst)
}
