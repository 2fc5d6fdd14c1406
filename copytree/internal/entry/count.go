package entry

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Progress.Current is updated with the first file, with each file longer than currentSize, and with
// every currentEvery-th other file. Joining a path takes more than a microsecond, and nobody can
// read so many.
const (
	currentEvery = 128
	currentSize  = 1 << 20 // 1 MiB
)

// found counts an entry that the walk has found.
func (m *Maker) found(it *item.Item) {
	if !m.job.Watched {
		return
	}
	m.job.Report.Progress.Found.Add(1)
	if m.seen%currentEvery == 0 {
		m.setCurrent(it)
	}
	m.seen++
}

// setCurrent sets Progress.Current.
func (m *Maker) setCurrent(it *item.Item) {
	if m.job.Watched {
		m.job.Report.Progress.SetCurrent(it.SrcPath())
	}
}

// count counts and reports the result for an entry.
func (m *Maker) count(it *item.Item) {
	m.Counts.Count(it.What, it.Bytes, it.Holes)
	if m.verified(it) {
		m.Counts.Verified++
	}
	if m.job.Watched {
		m.job.Report.Progress.Files.Add(1)
		m.job.Report.Progress.Bytes.Add(it.Bytes - it.Counted)
	}
	if m.job.Report.OnDone != nil {
		m.job.Report.Done(report.Done{
			Dst: it.DstPath(), Src: it.SrcPath(), What: it.What, Bytes: it.Bytes,
			Took: time.Since(it.Begun), Backup: it.Backup, Removed: it.Removed,
		})
	}
}

// verified reports whether the copy was read back.
func (m *Maker) verified(it *item.Item) bool {
	return m.job.Opt.Verify && m.job.Opt.CopiesContent(it.Type) && (it.What == report.Copied || it.What == report.Cloned) &&
		m.job.Opt.Make == option.MakeCopy && !m.job.Opt.DryRun
}

// took records the result of package content. Progress does not have the bytes of a clone yet.
func took(it *item.Item, r content.Result) {
	it.Bytes, it.Holes = r.Bytes, r.Holes
	if r.How == content.Cloned {
		it.What = report.Cloned
	} else {
		it.Counted = r.Bytes
	}
}
