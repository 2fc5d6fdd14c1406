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
func (m *Maker) copyFile(it *item.Item) error {
	if m.job.Opt.Verify && isStream(it.Type) {
		return fault.Source("verify", fault.ErrStream)
	}
	if isStream(it.Type) { // first, because opening it may take until another process does
		if stays, err := m.foresee(it); stays || err != nil {
			it.What = report.Skipped
			return err
		}
	}
	if err := m.openSource(it); err != nil {
		if m.conflict.KeepsUnreadable(it) {
			it.What = report.Skipped
			return nil
		}
		return err
	}
	defer m.closeSource(it)
	if err := m.Kernel.Fstat(it.SrcFD, &m.raw, &it.Stat); err != nil {
		return fault.Source("fstat", err)
	}
	if it.Stat.Type() != at.Regular && !m.job.Opt.CopyContents {
		// Another process has replaced the file, perhaps by one without an end.
		return fault.Source("open", fault.ErrChanged)
	}
	if it.Stat.Type() == at.FIFO {
		if err := m.awaitWriter(it); err != nil {
			return err
		}
	}
	m.job.Report.Progress.FoundBytes.Add(it.Stat.Size)
	return m.copyOrLink(it, m.copyOpen)
}

// openSource opens the source, unless a prefetcher has opened it.
func (m *Maker) openSource(it *item.Item) (err error) {
	if it.SrcFD >= 0 {
		return nil
	}
	if it.Type != at.Regular { // the call may wait for a device, or for a FIFO's writer
		m.events.LongCopy()
		m.Hold.Ignore()
	} else if !it.Follow {
		fd, found := m.Kernel.OpenCached(it.Dir.SrcFD, it.Src)
		m.NoteCache(found)
		if found == at.CacheHit {
			it.SrcFD = fd
			return nil
		}
	}
	it.SrcFD, err = m.Kernel.Open(it.Dir.SrcFD, it.Src, it.Follow, it.Type)
	return fault.Source("open", err)
}

func (m *Maker) closeSource(it *item.Item) {
	_ = m.Kernel.Close(it.SrcFD)
	it.SrcFD = -1
}

// copyOpen makes the copy of an open source.
func (m *Maker) copyOpen(it *item.Item) error {
	err := m.create(it)
	if err != nil || it.DstFD < 0 {
		return err
	}
	defer m.dropOpen(it)
	if m.job.Opt.Make != option.MakeAttributes {
		err = m.copyContent(it)
	}
	var refused error
	if err == nil {
		refused = m.setAttributes(it)
	}
	if e := m.closeCopy(it, err == nil); err == nil {
		err = e
	}
	if err != nil {
		m.removePartial(it)
		return err
	}
	return m.keep(it, refused)
}

// dropOpen removes a copy that is still open because a function of the caller did not return.
func (m *Maker) dropOpen(it *item.Item) {
	if it.DstFD >= 0 {
		_ = m.closeCopy(it, false)
		m.removePartial(it)
	}
}

// copyContent copies the content.
func (m *Maker) copyContent(it *item.Item) error {
	var long func()
	if it.Stat.Size > content.SmallFile {
		long = m.events.LongCopy
		m.Hold.Ignore()
	}
	if it.Stat.Size > currentSize {
		m.setCurrent(it)
	}
	s := &it.Stat
	r, err := m.job.Content.Copy(m.job.Ctx,
		content.File{FD: it.DstFD, Kind: contentKind(it.Existing), Dev: it.Dir.CopyID.Dev, Lazy: m.Hold.Allowed() && m.job.Syncer == nil, Long: long},
		content.File{FD: it.SrcFD, Kind: contentKind(s.Type()), Size: s.Size, Blocks: s.Blocks, Dev: s.Dev})
	m.NoteCache(r.Found)
	took(it, r)
	return err
}

// setAttributes gives the copy its metadata, and the permissions that were withheld while it was
// written.
func (m *Maker) setAttributes(it *item.Item) error {
	f := attr.File{Src: it.Source(), Dst: it.Copy(), Stat: &it.Stat, MayACL: it.Dir.ACL || !it.Fresh, Existed: !it.Fresh}
	if it.Fresh && it.Type != at.Symlink {
		f.Mode = m.Attr.FinalFileMode(it.Type, &it.Stat) &^ m.job.Umask
		f.MadeMode = m.fileMode(it) &^ m.job.Umask
		f.SetMode = f.MadeMode != f.Mode
	}
	return m.Attr.Set(&f)
}

// closeCopy closes the copy, or passes it on to be synced.
func (m *Maker) closeCopy(it *item.Item, good bool) error {
	fd := it.DstFD
	it.DstFD = -1
	if !good || !m.needsSync(it) {
		return fault.Dest("close", m.Kernel.Close(fd))
	}
	if p := it.Dir.Pair; p != nil {
		m.job.Sync(durable.File{FD: fd, Dir: durable.Path(p.Dst)})
	} else {
		m.job.Sync(durable.File{FD: fd, Dir: it.Dir, Name: it.Dst.String()})
	}
	return nil
}

// needsSync reports whether the copy needs an fsync(2). SyncFileSystem needs it if no syncfs(2)
// reaches the copy: a symbolic link at the path of a Pair, or a mounted file, may be on another
// file system.
func (m *Maker) needsSync(it *item.Item) bool {
	return m.job.Syncer != nil && !isStream(it.Existing) && (m.job.Opt.Sync == option.SyncFiles || it.Elsewhere)
}

// keep ends a copy whose attributes may have been refused. The copy stays, unless the existing file
// has a backup: then the backup gets its name back, as in GNU cp. Newly made special files always
// stay.
func (m *Maker) keep(it *item.Item, refused error) error {
	if refused != nil && it.Backup != "" && it.What != report.MadeSpecial {
		m.removePartial(it)
		return refused
	}
	it.Kept = refused != nil
	m.conflict.Done(it)
	return refused
}
