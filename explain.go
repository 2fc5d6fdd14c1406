package sluice

import (
	"fmt"
	"strings"
)

// Explain says in a few lines which driver the Scheduler uses and why, and
// what bounds are in force. It is for people: its form may change.
func (s *Scheduler) Explain() string {
	var b strings.Builder
	info := s.core.Driver()
	fmt.Fprintf(&b, "driver: %s (%s)\n", info.Name, s.reason())
	for _, r := range s.refused {
		fmt.Fprintf(&b, "  not %s: %v\n", r.name, r.err)
	}
	if len(info.Features) > 0 {
		fmt.Fprintf(&b, "  %s\n", strings.Join(info.Features, ", "))
	}
	l := s.core.Limits()
	fmt.Fprintf(&b, "in flight: at most %d in the driver; plain calls up to depth %d\n",
		info.Depth, l.InlineReads)
	fmt.Fprintf(&b, "threads: at most %d wait for what the driver cannot do asynchronously\n", l.Blocking)
	return b.String()
}

func (s *Scheduler) reason() string {
	switch {
	case s.forced:
		return "asked for"
	case len(s.refused) > 0:
		return "the best that this system allows"
	}
	return "the best there is"
}
