package conflict

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// likeness is the relation between the source and the existing file.
type likeness uint8

const (
	different likeness = iota // two files, or one that the copy does not damage
	asWanted                  // the existing file is the wanted one
	same                      // the copy would destroy the source
)

// comparison compares the source with the existing file. The rules and their order are GNU cp's
// (same_file_ok in copy.c of coreutils 9.1): shorter rules were wrong for combinations of links,
// hard links and options.
type comparison struct {
	*Resolver
	it       *item.Item
	src, dst at.Stat // of the names if links are followed, else as found
}

// compare compares the source with the existing file, whose Stat is s.
func (r *Resolver) compare(it *item.Item, s *at.Stat) likeness {
	c := comparison{r, it, it.Stat, *s}
	switch {
	case s.Type() == at.Symlink && !bool(it.Through) && it.Type != at.Symlink && !r.Opt.MakesLinks():
		return different // the link is replaced, and its target stays
	case s.ID == it.Stat.ID && r.Opt.Make == option.MakeHardLink:
		return asWanted
	case !r.Opt.CopiesSymlink(it.Root):
		return c.followed(s)
	case c.bothLinks():
		return c.links()
	}
	return c.names()
}

func (c *comparison) bothLinks() bool {
	return c.src.Type() == at.Symlink && c.dst.Type() == at.Symlink
}

// links compares two symbolic links that are copied as links.
func (c *comparison) links() likeness {
	switch {
	case c.sameName():
		return same
	case c.src.ID == c.dst.ID && c.Opt.Backup == nil:
		return asWanted
	}
	return different
}

// followed compares the targets of the names, and then the names.
func (c *comparison) followed(s *at.Stat) likeness {
	if s.ID != c.it.Stat.ID {
		return different
	}
	d := c.it.Dir
	if c.Kernel.Stat(d.SrcFD, c.it.Src, at.NoFollow, &c.src) != nil || c.Kernel.Stat(d.DstFD, c.it.Dst, at.NoFollow, &c.dst) != nil {
		return different
	}
	if c.bothLinks() && c.Opt.Unlink {
		return different
	}
	return c.names()
}

// names compares two names. At most one is a symbolic link.
func (c *comparison) names() likeness {
	one := c.src.ID == c.dst.ID
	srcLink, dstLink := c.src.Type() == at.Symlink, c.dst.Type() == at.Symlink
	switch {
	case c.Opt.Backup != nil:
		return c.backedUp(one, srcLink && !dstLink)
	case c.Opt.Unlink && (dstLink || one && c.dst.Nlink > 1 && !c.sameName()):
		return different
	case !srcLink && !dstLink && !one:
		return different
	case !srcLink && !dstLink && c.Opt.Make == option.MakeHardLink:
		return asWanted
	case c.Opt.Make == option.MakeSymlink && dstLink:
		return different
	case c.Opt.CopiesSymlink(c.it.Root):
		return c.ends(srcLink, dstLink)
	}
	return same
}

// backedUp compares the names if the existing file is renamed. A symbolic link to it would then
// lead nowhere.
func (c *comparison) backedUp(one, linkToFile bool) likeness {
	lost := linkToFile && !c.Opt.CopiesSymlink(c.it.Root)
	if one {
		lost = c.sameName()
	}
	if lost {
		return same
	}
	return different
}

// ends compares the targets of the names although links are not followed.
func (c *comparison) ends(srcLink, dstLink bool) likeness {
	src, dst, d := c.src, c.dst, c.it.Dir
	if srcLink && c.Kernel.Stat(d.SrcFD, c.it.Src, at.FollowsLinks, &src) != nil ||
		dstLink && c.Kernel.Stat(d.DstFD, c.it.Dst, at.FollowsLinks, &dst) != nil || src.ID != dst.ID {
		return different
	}
	switch {
	case c.Opt.Make != option.MakeHardLink:
		return same
	case dstLink:
		return different
	}
	return asWanted
}

// sameName reports whether source and destination are the same name in the same directory.
func (c *comparison) sameName() bool {
	d := c.it.Dir
	return d.Stat.ID == d.CopyID && string(c.it.Src) == string(c.it.Dst)
}
