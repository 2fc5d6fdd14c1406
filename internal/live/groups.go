package live

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/trace"
)

// addScheduler adds a Scheduler, with its paths and devices.
func (f *Figures) addScheduler(s *sluice.Scheduler, before, now sluice.Stats) {
	driver := ""
	if now.Rings > 0 { // to ask for the driver would choose it
		driver = inside.Scheduler(s).Core.Driver().Name
	}
	f.Schedulers = append(f.Schedulers, Scheduler{
		Driver: driver, Rings: now.Rings, LostRings: now.LostRings,
		Cached: now.Cached, Plain: now.Plain, Queued: now.Queued, SharedSyncs: now.SharedSyncs,
		BytesRead: now.BytesRead, BytesWritten: now.BytesWritten, BytesCopied: now.BytesCopied,
	})
	cached, plain, queued := &f.Paths[0], &f.Paths[1], &f.Paths[2]
	cached.Rate += f.perSecond(now.Cached - before.Cached)
	plain.Rate += f.perSecond(now.Plain - before.Plain)
	queued.Rate += f.perSecond(now.Queued - before.Queued)
	queued.InFlight += now.InFlight
	for _, d := range s.DeviceStats() {
		plain.InFlight += d.WaitingThreads
		plain.Waiting += d.Waiting
		f.addDevice(d)
	}
}

func (f *Figures) addDevice(d sluice.DeviceStats) {
	i, found := slices.BinarySearchFunc(f.Devices, d.Name, func(d Device, name string) int { return cmp.Compare(d.Name, name) })
	if !found {
		f.Devices = slices.Insert(f.Devices, i, Device{Name: d.Name})
	}
	sum := &f.Devices[i]
	sum.Queued += d.InFlight
	sum.Plain += d.WaitingThreads
	sum.Waiting += d.Waiting
	sum.Permits += d.Permits
	sum.Rings += d.Rings
}

// perSecond returns the rate of n operations or bytes in the look.
func (f *Figures) perSecond(n int64) float64 {
	if f.Seconds <= 0 {
		return 0
	}
	return float64(max(0, n)) / f.Seconds
}

// grouper divides the operations of a look into groups.
type grouper struct {
	f                     *Figures
	kinds, classes, files map[string]*group
}

// group is a Group that is being counted.
type group struct {
	Group
	ops, bytes int64
	took       []time.Duration
}

func newGrouper(f *Figures, t *trace.Trace) *grouper {
	g := &grouper{f, make(map[string]*group), make(map[string]*group), make(map[string]*group)}
	for i := range t.Ops {
		o := &t.Ops[i]
		in(g.kinds, o.Kind.String()+" "+o.Path.String()).add(o)
		in(g.classes, t.Classes[o.Class]).add(o)
		if name := t.Files[o.File]; name != "" {
			in(g.files, name).add(o)
		}
	}
	// Each event that was lost stands for one that was kept.
	kept := float64(len(t.Ops) + len(t.Calls))
	scale := 1.0
	if kept > 0 {
		scale = (kept + float64(t.Meta.Lost)) / kept
	}
	for _, all := range []map[string]*group{g.kinds, g.classes, g.files} {
		for _, one := range all {
			one.finish(f.Seconds, scale)
		}
	}
	return g
}

// in returns the group of that name, which may be new.
func in(all map[string]*group, name string) *group {
	one := all[name]
	if one == nil {
		one = &group{Group: Group{Name: name}}
		all[name] = one
	}
	return one
}

func (g *group) add(o *trace.Op) {
	g.ops++
	if o.Kind == trace.KindRead || o.Kind == trace.KindWrite {
		g.bytes += max(0, o.Result)
	}
	g.took = append(g.took, o.Woken-o.Queued)
}

// finish computes the rates and latencies. Each operation stands for scale operations.
func (g *group) finish(seconds, scale float64) {
	if seconds <= 0 || g.ops == 0 {
		return
	}
	var sum time.Duration
	for _, d := range g.took {
		sum += d
	}
	slices.Sort(g.took)
	g.Mean = scale * sum.Seconds() / seconds
	g.Rate, g.Bytes = scale*float64(g.ops)/seconds, scale*float64(g.bytes)/seconds
	g.P50, g.P99, g.Max = int64(quantile(g.took, 50)), int64(quantile(g.took, 99)), int64(g.took[len(g.took)-1])
	g.took = nil
}

// quantile returns the least value that percent of the sorted values do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}

// addNow adds what the Scheduler has in flight now.
func (g *grouper) addNow(s *sluice.Scheduler) {
	for _, c := range s.Classes() {
		now := c.Stats()
		one := in(g.classes, c.Name())
		one.InFlight += now.InFlight
		one.Waiting += now.Waiting
	}
	open, busy := inside.Scheduler(s).Busy()
	g.f.OpenFiles += open
	for name, n := range busy {
		in(g.files, name).InFlight += n
	}
}

// finish sorts the groups into the figures.
func (g *grouper) finish() {
	f := g.f
	byName := func(a, b Group) int { return cmp.Compare(a.Name, b.Name) }
	f.Kinds, f.Classes, f.Files = values(g.kinds), values(g.classes), values(g.files)
	slices.SortFunc(f.Kinds, byName)
	slices.SortFunc(f.Classes, func(a, b Group) int {
		return cmp.Or(first(b)-first(a), byName(a, b))
	})
	slices.SortFunc(f.Files, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.InFlight, a.InFlight), cmp.Compare(b.Mean, a.Mean), cmp.Compare(b.Rate, a.Rate), byName(a, b))
	})
	if n := len(f.Files); n > MaxFiles {
		f.Files, f.FilesLeft = f.Files[:MaxFiles], n-MaxFiles
	}
}

// first returns 1 for the default class, and 0 for others.
func first(g Group) int {
	if g.Name == "default" {
		return 1
	}
	return 0
}

// values returns the groups, in any order.
func values(all map[string]*group) []Group {
	groups := make([]Group, 0, len(all))
	for _, g := range all {
		groups = append(groups, g.Group)
	}
	return groups
}
