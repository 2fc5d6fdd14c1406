package gnucp

import (
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/text"

	"github.com/sluiceio/sluice/copytree/internal/report"
)

// summary is the content of --stats and --json.
type summary struct {
	report.Result
	cpu     time.Duration
	threads int // the most at a time; 0 if unknown
}

// table returns the summary as a table. Kinds of files that did not occur have no row.
func (s summary) table() string {
	var b strings.Builder
	row := func(name, text string) { fmt.Fprintf(&b, "%-12s %s\n", name, text) }
	count := func(name string, n int64) {
		if n > 0 {
			row(name, fmt.Sprint(n))
		}
	}
	row("files", fmt.Sprintf("%d (%d copied, %d cloned)", s.Files, s.Files-s.Cloned, s.Cloned))
	row("directories", fmt.Sprint(s.Dirs))
	count("symlinks", s.Symlinks)
	count("hard links", s.Links)
	count("special", s.Specials)
	count("skipped", s.Skipped)
	count("failed", s.Failed)
	count("synced", s.Synced)
	count("verified", s.Verified)
	row("data", text.Bytes(s.Bytes))
	row("holes", text.Bytes(s.Holes))
	row("time", fmt.Sprintf("%.3f s", s.Took.Seconds()))
	row("rate", fmt.Sprintf("%s/s, %.0f files/s", text.Bytes(int64(perSecond(s.Bytes, s.Took))), perSecond(s.Files, s.Took)))
	row("CPU", fmt.Sprintf("%.3f s", s.cpu.Seconds()))
	count("threads", int64(s.threads))
	return b.String()
}

// summaryJSON is the summary in the format of --json.
type summaryJSON struct {
	Status         int         `json:"status"`
	Files          int64       `json:"files"`
	Cloned         int64       `json:"cloned"`
	Directories    int64       `json:"directories"`
	Symlinks       int64       `json:"symlinks"`
	HardLinks      int64       `json:"hard_links"`
	Special        int64       `json:"special"`
	Skipped        int64       `json:"skipped"`
	Failed         int64       `json:"failed"`
	Bytes          int64       `json:"bytes"`
	HoleBytes      int64       `json:"hole_bytes"`
	Synced         int64       `json:"synced"`
	Verified       int64       `json:"verified"`
	Seconds        float64     `json:"seconds"`
	BytesPerSecond float64     `json:"bytes_per_second"`
	CPUSeconds     float64     `json:"cpu_seconds"`
	Threads        int         `json:"threads"`
	Errors         []errorJSON `json:"errors"` // the first of the errors
}

func (s summary) json(status int, errs []errorJSON) summaryJSON {
	if errs == nil {
		errs = []errorJSON{}
	}
	return summaryJSON{
		Status: status, Files: s.Files, Cloned: s.Cloned, Directories: s.Dirs, Symlinks: s.Symlinks, HardLinks: s.Links,
		Special: s.Specials, Skipped: s.Skipped, Failed: s.Failed, Bytes: s.Bytes, HoleBytes: s.Holes, Synced: s.Synced,
		Verified: s.Verified, Seconds: s.Took.Seconds(), BytesPerSecond: perSecond(s.Bytes, s.Took),
		CPUSeconds: s.cpu.Seconds(), Threads: s.threads, Errors: errs,
	}
}
