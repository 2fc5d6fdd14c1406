package sluice

import (
	"fmt"
	"strings"

	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/tune"
)

// Explain returns a text for people, whose form may change: the driver and why it was chosen, the
// bounds in force, and the measurements of the governors. If no driver is chosen yet, Explain
// chooses it.
func (s *Scheduler) Explain() string {
	var b strings.Builder
	info := s.made().Core.Driver()
	if info.Name == "" {
		return "driver: none (the Scheduler was closed before it needed one)\n"
	}
	fmt.Fprintf(&b, "driver: %s (%s)\n", info.Name, s.reason())
	if len(info.Features) > 0 {
		fmt.Fprintf(&b, "  %s\n", strings.Join(info.Features, ", "))
	}
	for _, r := range s.rejectedDrivers {
		fmt.Fprintf(&b, "  not %s: %v\n", r.name, r.err)
	}
	for _, l := range s.h.Core.Rings().Losses() {
		fmt.Fprintf(&b, "  %s stopped working: %v; what it was for is performed by plain calls\n", l.Driver, l.Err)
	}
	r := s.h.Core.Rings()
	fmt.Fprintf(&b, "in flight: at most %s\n", inFlightText(r.All()))
	if r.Most() > 1 {
		fmt.Fprintf(&b, "rings: %d; the first %d devices get one each", len(r.All()), r.Most())
		if n := r.PerDevice(); n > 1 {
			fmt.Fprintf(&b, ", and up to %d where one is not enough", n)
		}
		if err := r.OpenError(); err != nil {
			fmt.Fprintf(&b, "; the next could not be opened: %v", err)
		}
		b.WriteByte('\n')
	}
	devices := s.h.Core.Devices()
	most := devices.None().Budget.Limit()
	fmt.Fprintf(&b, "threads: at most %d for plain calls of a device", most)
	for _, d := range devices.All() {
		if n := d.Budget.Limit(); n != most {
			fmt.Fprintf(&b, ", %d on %s", n, deviceName(d.Number))
		}
	}
	if n := s.options.Threads; n > 0 {
		fmt.Fprintf(&b, ", and %d for all devices together", n)
	}
	b.WriteByte('\n')
	s.explainChoices(&b)
	s.explainClasses(&b)
	return b.String()
}

// inFlightText returns how many operations the rings may have. A ring that was opened when little
// memory could be locked has fewer than ring 0. Rings have the numbers that traces show.
func inFlightText(rings []*ioengine.Engine) string {
	text := ""
	first := rings[0].Driver().Info().Depth
	for i, r := range rings {
		if n := r.Driver().Info().Depth; n != first {
			text += fmt.Sprintf(", and %d in ring %d", n, i)
		}
	}
	return fmt.Sprint(first, " in each ring", text)
}

// explainChoices writes the measurements of the governors to b.
func (s *Scheduler) explainChoices(b *strings.Builder) {
	for _, c := range s.h.Core.Choices() {
		name := deviceName(c.Device.Number)
		if c.InCall {
			fmt.Fprintf(b, "%s on %s are plain calls: these do not wait\n", c.Kind, name)
			continue
		}
		how := map[governor.Choice]string{governor.Queue: "queued", governor.Plain: "plain calls"}[c.Choice]
		fmt.Fprintf(b, "%s on %s are %s: %s\n", c.Kind, name, how, comparisonText(c.Comparison))
	}
}

// comparisonText returns the result of a governor's last comparison.
func comparisonText(c governor.Comparison) string {
	if c.Trials == 0 {
		return fmt.Sprintf("goroutines computed, and nothing was compared since (comparisons: %d)", c.Number)
	}
	than := fmt.Sprintf("%.0f %% faster", 100*c.Plain)
	if c.Plain < 0 {
		than = fmt.Sprintf("%.0f %% slower", -100*c.Plain)
	}
	return fmt.Sprintf("plain calls were %s than the queue (comparisons: %d; trials in the last one: %d)", than, c.Number, c.Trials)
}

// deviceName returns the name of a disk, or "device" and its number if the device has no disk.
func deviceName(number uint64) string {
	if number == device.None {
		return "no device"
	}
	if d, err := tune.DeviceAt(number); err == nil {
		return d.Name
	}
	return fmt.Sprint("device ", number)
}

// explainClasses writes the classes to b, if there are any.
func (s *Scheduler) explainClasses(b *strings.Builder) {
	if !s.h.Core.Classes().Active() {
		return
	}
	s.h.ExplainCaps(b)
	for _, c := range s.Classes() {
		o := c.core.Settings()
		fmt.Fprintf(b, "  %s: weight %d%s\n", c.name, o.Weight, limitsText(o))
	}
}

// limitsText returns the limits of a class.
func limitsText(o fair.Settings) string {
	text := ""
	for _, l := range []struct {
		n    int64
		unit string
	}{{o.IOPS, "operations/s"}, {o.Bytes, "bytes/s"}, {int64(o.Depth), "at once"}} {
		if l.n > 0 {
			text += fmt.Sprintf(", at most %d %s", l.n, l.unit)
		}
	}
	return text
}

func (s *Scheduler) reason() string {
	switch {
	case s.options.Driver != "":
		return "asked for"
	case len(s.rejectedDrivers) > 0:
		return "the best that this system allows"
	}
	return "the best there is"
}
