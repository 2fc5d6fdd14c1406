package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/ioengine"
)

// Group is a set of Transfers of one goroutine, its owner, which starts many of them and waits
// for whichever ends next. Only the owner may call the methods. See ioengine.Group.
type Group struct {
	s *Scheduler
	ioengine.Group
}

// NewGroup returns a Group without Transfers. All of its Transfers must be of f or of other
// files that use the same ring, as files on the same device do. Next returns when ctx ends.
// The caller must close the Group, and must use f during this call.
func (s *Scheduler) NewGroup(ctx context.Context, f *File) *Group {
	g := &Group{s: s}
	g.Init(ctx, s.EngineOf(f))
	return g
}

// StartRead is Scheduler.StartRead for a Transfer that Next will return. The read may be
// submitted as late as by Submit or Next. StartRead reports whether the read was started: it
// is not if f is closing.
func (g *Group) StartRead(t *Transfer, f *File, b []byte, off int64, reg uint32) bool {
	if !f.Use() {
		return false
	}
	t.group = g
	g.s.StartRead(t, f, b, off, reg)
	f.Done()
	g.Started(len(b))
	return true
}

// Next waits for one of the Transfers in progress to end, and returns it for its Result. If
// ctx ends first, Next returns ctx's error. Ctx must be the Group's, or one that never ends or
// has ended: a goroutine that waits is woken by the end of the Group's context alone.
func (g *Group) Next(ctx context.Context) (*Transfer, error) {
	r, err := g.Group.Next(ctx)
	if err != nil {
		return nil, err
	}
	return g.ended(r), nil
}

// Take returns a Transfer that has ended, or nil where Next would wait.
func (g *Group) Take() *Transfer {
	r := g.Group.Take()
	if r == nil {
		return nil
	}
	return g.ended(r)
}

// ended returns the Transfer of a request that has ended.
func (g *Group) ended(r *ioengine.Request) *Transfer {
	t := r.Client.(*Transfer)
	t.woken = g.s.Recording.Now()
	return t
}
