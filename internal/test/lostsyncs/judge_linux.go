package lostsyncs

import (
	"bytes"
	"slices"
	"strings"
)

// commits reports whether c is only a Sync.
func commits(c *call) bool {
	return slices.ContainsFunc(c.h.ways, func(w way) bool { return w.name == c.way && w.commit != nil })
}

// judge finds calls that returned nil and should have failed.
func (o *round) judge(total *tally) {
	for _, b := range o.blocks {
		if b.written > 0 && !b.replaced && !o.disk.OnDisk(b.number) {
			total.lost++
		}
	}
	unread := o.unread()
	for _, c := range o.calls {
		total.calls++
		if c.err != nil {
			total.failed++
			continue
		}
		total.nils++
		for _, b := range c.answers {
			switch {
			case !unread[b]:
			case b.replaces && o.grows && strings.Contains(o.t.Name(), "ext4") && (!c.h.stays || c.h.each):
				// No call is at fault: ext4 reports this loss to nobody, os.File included. In new
				// space it marks the blocks of a write-back as written at its end, or none if the
				// disk has refused one. The pages stay in the page cache. When one of them is
				// written again, the next write-back succeeds and marks nothing: once the page is
				// dropped, the file reads as zeros there. A File remembers that the first
				// write-back failed, but not that a write with O_SYNC failed.
				total.note(c.h.kind, &total.unread)
			default:
				c.lost = append(c.lost, b)
			}
		}
		switch {
		case len(c.lost) == 0:
		case c.h.stays || c.h.own && c.h.kind != "os once":
			o.t.Errorf("%v returned nil, and these are lost: %v", c, c.lost)
		default:
			o.wantReport(c, total)
		}
		if c.h.stays && commits(c) {
			if err := o.failedBy(c.h, c.began); err != nil {
				o.t.Errorf("%v returned nil after %v", c, err)
			}
		}
	}
}

// unread returns some blocks that the disk has and that cannot be read back. A call must have
// reported their loss.
func (o *round) unread() map[*block]bool {
	unread, seen := make(map[*block]bool), make(map[*block]bool)
	for _, c := range o.calls {
		for _, b := range c.answers {
			if c.err != nil || b.replaced || seen[b] || len(seen) == 64 || !o.disk.OnDisk(b.number) {
				continue
			}
			seen[b] = true
			if !bytes.Equal(o.disk.ReadBack(o.t, b.name, b.off, len(b.data)), b.data) {
				unread[b] = true
			}
		}
	}
	return unread
}

// wantReport requires that another call of c's description has failed for each block that c lost.
func (o *round) wantReport(c *call, total *tally) {
	total.note(c.h.kind, &total.apart)
	if c.h.own {
		return // another description had it
	}
	for _, b := range c.lost {
		if !slices.ContainsFunc(o.calls, func(y *call) bool {
			return y.h == c.h && y.err != nil && y.ended > b.began && y.began < c.ended
		}) {
			o.t.Errorf("%v returned nil, %v is lost, and no call of that description has failed", c, b)
		}
	}
}
