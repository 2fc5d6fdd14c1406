package entry

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Progress.Current is brought up to date with the first file, with each file that
// is longer than currentSize, and with each currentEvery-th of the others: to join a
// path takes longer than a millionth of a second, and nobody can read so many.
const (
	currentEvery = 128
	currentSize  = 1 << 20 // 1 MiB
)

// found counts an entry that the walk has come to.
func (c *Copier) found(it *item.Item) {
	if !c.Watched {
		return
	}
	c.Report.Progress.Found.Add(1)
	if c.seen%currentEvery == 0 {
		c.setCurrent(it)
	}
	c.seen++
}

// setCurrent sets Progress.Current.
func (c *Copier) setCurrent(it *item.Item) {
	if c.Watched {
		path := it.SrcPath()
		c.Report.Progress.Current.Store(&path)
	}
}

// count counts and reports what became of an entry.
func (c *Copier) count(it *item.Item) {
	c.Counts.Count(it.What, it.Bytes, it.Holes)
	if c.verified(it) {
		c.Counts.Verified++
	}
	if c.Watched {
		c.Report.Progress.Files.Add(1)
		c.Report.Progress.Bytes.Add(it.Bytes - it.Counted)
	}
	if c.Report.OnDone != nil {
		c.Report.Done(report.Done{
			Dst: it.DstPath(), Src: it.SrcPath(), What: it.What, Bytes: it.Bytes,
			Took: time.Since(it.Begun), Backup: it.Backup, Removed: it.Removed,
		})
	}
}

// verified reports whether the copy was read back.
func (c *Copier) verified(it *item.Item) bool {
	return c.Opt.Verify && c.Opt.CopiesContent(it.Type) && (it.What == report.Copied || it.What == report.Cloned) &&
		c.Opt.Make == option.MakeCopy && !c.Opt.DryRun
}

// took records what package content has done. The bytes of a clone are not in
// Progress yet.
func took(it *item.Item, r content.Result) {
	it.Bytes, it.Holes = r.Bytes, r.Holes
	if r.How == content.Cloned {
		it.What = report.Cloned
	} else {
		it.Counted = r.Bytes
	}
}
