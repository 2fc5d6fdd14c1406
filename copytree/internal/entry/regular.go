package entry

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/attr"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// copyFile copies a file that has content.
func (c *Copier) copyFile(it *item.Item) error {
	if c.Opt.Verify && isStream(it.Type) {
		return fault.Source("verify", fault.ErrStream)
	}
	if isStream(it.Type) { // first: to open it may take until another process does so, too
		if stays, err := c.foresee(it); stays || err != nil {
			it.What = report.Skipped
			return err
		}
	}
	if err := c.openSource(it); err != nil {
		if c.conflict.KeepsUnreadable(it) {
			it.What = report.Skipped
			return nil
		}
		return err
	}
	defer c.closeSource(it)
	if err := c.Kernel.Fstat(it.SrcFD, &c.raw, &it.Stat); err != nil {
		return fault.Source("fstat", err)
	}
	if it.Stat.Type() != at.Regular && !c.Opt.CopyContents {
		// The file was replaced by something else, which may have no end.
		return fault.Source("open", fault.ErrChanged)
	}
	if it.Stat.Type() == at.FIFO {
		if err := c.awaitWriter(it); err != nil {
			return err
		}
	}
	c.Report.Progress.FoundBytes.Add(it.Stat.Size)
	return c.copyOrLink(it, c.copyOpen)
}

// openSource opens the source, unless a prefetcher has.
func (c *Copier) openSource(it *item.Item) (err error) {
	if it.SrcFD >= 0 {
		return nil
	}
	if it.Type != at.Regular { // the call may wait for a device, or for a FIFO's writer
		c.events.LongCopy()
		c.Kernel.Hold = c.Hold.Ignore()
	} else if !it.Follow {
		fd, found := c.Kernel.OpenCached(it.Dir.SrcFD, it.Src)
		c.NoteCache(found)
		if found == at.CacheHit {
			it.SrcFD = fd
			return nil
		}
	}
	it.SrcFD, err = c.Kernel.Open(it.Dir.SrcFD, it.Src, it.Follow, it.Type)
	return fault.Source("open", err)
}

func (c *Copier) closeSource(it *item.Item) {
	_ = c.Kernel.Close(it.SrcFD)
	it.SrcFD = -1
}

// copyOpen makes the copy of an open source.
func (c *Copier) copyOpen(it *item.Item) error {
	err := c.create(it)
	if err != nil || it.DstFD < 0 {
		return err
	}
	defer c.dropOpen(it)
	if c.Opt.Make != option.MakeAttributes {
		err = c.copyContent(it)
	}
	var refused error
	if err == nil {
		refused = c.setAttributes(it)
	}
	if e := c.closeCopy(it, err == nil); err == nil {
		err = e
	}
	if err != nil {
		c.removePartial(it)
		return err
	}
	return c.keep(it, refused)
}

// dropOpen removes a copy that is still open: a function of the caller did not return.
func (c *Copier) dropOpen(it *item.Item) {
	if it.DstFD >= 0 {
		_ = c.closeCopy(it, false)
		c.removePartial(it)
	}
}

// copyContent copies the content.
func (c *Copier) copyContent(it *item.Item) error {
	var long func()
	if it.Stat.Size > content.SmallFile {
		long = c.events.LongCopy
		c.Kernel.Hold = c.Hold.Ignore()
	}
	if it.Stat.Size > currentSize {
		c.setCurrent(it)
	}
	s := &it.Stat
	r, err := c.Content.Copy(c.Ctx,
		content.File{FD: it.DstFD, Kind: contentKind(it.Existing), Dev: it.Dir.CopyID.Dev, Lazy: c.Hold.Allowed() && c.Syncer == nil, Long: long},
		content.File{FD: it.SrcFD, Kind: contentKind(s.Type()), Size: s.Size, Blocks: s.Blocks, Dev: s.Dev})
	c.NoteCache(r.Found)
	took(it, r)
	return err
}

// setAttributes gives the copy its metadata, and the permissions that it was not to
// have while it was written.
func (c *Copier) setAttributes(it *item.Item) error {
	f := attr.File{Src: it.Source(), Dst: it.Copy(), Stat: &it.Stat, MayACL: it.Dir.ACL || !it.Fresh, Existed: !it.Fresh}
	if it.Fresh && it.Type != at.Symlink {
		f.Mode = c.Attr.FinalFileMode(it.Type, &it.Stat) &^ c.Umask
		f.MadeMode = c.fileMode(it) &^ c.Umask
		f.SetMode = f.MadeMode != f.Mode
	}
	return c.Attr.Copy(&f)
}

// closeCopy closes the copy, or hands it over to be synced.
func (c *Copier) closeCopy(it *item.Item, good bool) error {
	fd := it.DstFD
	it.DstFD = -1
	if !good || !c.needsSync(it) {
		return fault.Dest("close", c.Kernel.Close(fd))
	}
	if p := it.Dir.Pair; p != nil {
		c.Sync(durable.File{FD: fd, Dir: durable.Path(p.Dst)})
	} else {
		c.Sync(durable.File{FD: fd, Dir: it.Dir, Name: it.Dst.String()})
	}
	return nil
}

// needsSync reports whether fsync(2) is called for the copy. SyncFileSystem needs it for a copy that no syncfs(2) reaches:
// a symbolic link at the path of a Pair, or a mounted file, may lead to another file system.
func (c *Copier) needsSync(it *item.Item) bool {
	return c.Syncer != nil && !isStream(it.Existing) && (c.Opt.Sync == option.SyncFiles || it.Elsewhere)
}

// keep ends a copy to which attributes may have been refused. It stays all the same,
// unless what existed has a backup: then the backup gets its name back, as with GNU
// cp. Special files that were made always stay.
func (c *Copier) keep(it *item.Item, refused error) error {
	if refused != nil && it.Backup != "" && it.What != report.MadeSpecial {
		c.removePartial(it)
		return refused
	}
	it.Kept = refused != nil
	c.conflict.Done(it)
	return refused
}
