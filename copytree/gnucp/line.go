package gnucp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/text"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

// state is a snapshot of a report.Progress and a census.
type state struct {
	files, bytes      int64 // copied
	found, foundBytes int64 // to copy, as far as the census has counted
	counted, syncing  bool
	synced, toSync    int64
	failed            int64
	current           string
}

func read(p *report.Progress, c *census) state {
	return state{
		files: p.Files.Load(), bytes: p.Bytes.Load(), found: c.files.Load(), foundBytes: c.bytes.Load(),
		counted: c.complete.Load(), syncing: p.Syncing.Load(), synced: p.Synced.Load(), toSync: p.ToSync.Load(),
		failed: p.Failed.Load(), current: p.Current(),
	}
}

// fileCost is the number of bytes that can be copied while one file is created. With it, the time
// left is useful for trees of small files, too.
const fileCost = 64 << 10 // 64 KiB

func (s state) work() int64  { return s.bytes + fileCost*s.files }
func (s state) total() int64 { return max(s.foundBytes, s.bytes) + fileCost*max(s.found, s.files) }

// line returns the progress line. It has less than width columns, because a full line wraps on some
// terminals. On a narrow terminal it leaves out parts: the file's name first, the percentage and
// the time left last.
func (s state) line(r *rates, width int) string {
	width--
	if s.syncing {
		return fit(s.syncLine(), width)
	}
	head := s.head(r, width)
	const gap, least = 2, 10 // a name of fewer columns is left out
	room := width - len(head) - gap
	if room < least || s.current == "" {
		return fit(head, width)
	}
	return head + strings.Repeat(" ", gap) + shorten(showName(s.current), room)
}

// head returns the line without the file's name: as many parts as fit.
func (s state) head(r *rates, width int) string {
	failed := ""
	if s.failed > 0 {
		failed = fmt.Sprintf("%d failed", s.failed)
	}
	percent, files, data := s.percent(), s.fileCount(), s.byteCount()
	rate, left := text.Bytes(int64(r.bytes()))+"/s", s.left(r)
	for _, parts := range [][]string{
		{percent, files, data, rate, left, failed},
		{percent, files, rate, left, failed},
		{percent, rate, left, failed},
		{percent, rate, left},
		{percent, left},
	} {
		if head := joined(parts); len(head) <= width && head != "" {
			return head
		}
	}
	return cmp.Or(percent, files)
}

// joined joins the parts that are not empty.
func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// percent returns the percentage that is copied, or "" until the census is complete.
func (s state) percent() string {
	if !s.counted || s.total() == 0 {
		return ""
	}
	return fmt.Sprintf("%d%%", 100*s.work()/s.total())
}

func (s state) syncLine() string {
	if s.toSync == 0 {
		return fmt.Sprintf("%d files copied, syncing", s.files)
	}
	return fmt.Sprintf("%d files copied, syncing %d/%d", s.files, s.synced, s.toSync)
}

// fileCount returns the numbers of files copied and found, with a + until the census is complete.
func (s state) fileCount() string {
	more := "+"
	if s.counted {
		more = ""
	}
	return fmt.Sprintf("%d/%d%s files", s.files, max(s.found, s.files), more)
}

func (s state) byteCount() string {
	if !s.counted {
		return text.Bytes(s.bytes)
	}
	return text.Bytes(s.bytes) + "/" + text.Bytes(max(s.foundBytes, s.bytes))
}

// left returns the time left, or "" until it can be estimated.
func (s state) left(r *rates) string {
	rate := r.work()
	if !s.counted || rate <= 0 {
		return ""
	}
	seconds := float64(s.total()-s.work()) / rate
	return clock(time.Duration(seconds*float64(time.Second))) + " left"
}

// clock returns a duration as 0:07, 12:34 or 1:02:03.
func clock(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}
