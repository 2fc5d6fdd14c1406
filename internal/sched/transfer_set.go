package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/ioengine"
)

// TransferSet is a set of Transfers of one goroutine, its owner, which starts many of them and
// waits for whichever ends next. Only the owner may call the methods. See ioengine.RequestSet.
type TransferSet struct {
	s    *Scheduler
	ends bool // its context can end
	ioengine.RequestSet
}

// NewTransferSet returns a TransferSet without Transfers. All of its Transfers must be of f or of
// other files that use the same ring, as files on the same device do. Next returns when ctx ends.
// The caller must close the TransferSet, and must use f during this call.
func (s *Scheduler) NewTransferSet(ctx context.Context, f *File) *TransferSet {
	set := &TransferSet{s: s, ends: ctx.Done() != nil}
	set.Init(ctx, s.paths.RingsOf(f).Next())
	return set
}

// StartRead is Scheduler.StartRead for a Transfer that Next will return. The read may be submitted
// as late as by Submit or Next.
func (set *TransferSet) StartRead(t *Transfer, f *File, b []byte, off int64, reg uint32) {
	t.set, t.Ends = set, set.ends
	set.s.StartRead(t, f, b, off, reg)
	set.Started(len(b))
}

// Next waits for one of the Transfers in progress to end, and returns it for its Result. If ctx
// ends first, Next returns ctx's error. Ctx must be the TransferSet's, or one that never ends or
// has ended: a goroutine that waits is woken by the end of the TransferSet's context alone.
func (set *TransferSet) Next(ctx context.Context) (*Transfer, error) {
	r, err := set.RequestSet.Next(ctx)
	if err != nil {
		return nil, err
	}
	return r.Client.(*Transfer), nil
}
