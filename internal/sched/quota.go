package sched

import (
	"math"

	"github.com/sluiceio/sluice/internal/list"
)

// deviceQuota is a number of slots that a limiter reserves for one device. A device gets a
// quota when a goroutine finds no shared slot for a call to it. So a device whose calls
// have all shared slots and do not end holds up no call to another device.
//
// The slots of the first maxQuotas quotas come out of the limit. At first more than limit
// slots may be taken, until enough shared ones are released. The quotas of further devices
// are on top of the limit.
//
// A quota that no goroutine uses or waits for goes to another device: to that of the first
// waiter without a quota, or else to the next device that needs one.
//
// All fields are guarded by limiter.mu. A nil quota has no slots.
type deviceQuota struct {
	device uint64 // noDevice until the quota is given to a device
	size   int32
	used   int32
	queue  list.List[waiter] // the waiters of limiter.queue that are for this device
}

// maxQuotas is the most quotas that come out of the limit. It is the default number of
// rings. sharesOnTop is how many quotas more there may be on top of the limit, in a limiter
// that allows it (limiter.onTop).
const (
	maxQuotas   = 3
	sharesOnTop = 13
)

// quotaSize returns the number of slots of a quota. It is 1 for a small limit and grows with
// the limit: where threads are all the parallelism that there is, one slot would be too few.
func (g *limiter) quotaSize() int32 { return max(1, g.limit/16) }

// noDevice stands for the device of a file that is on none, or on one that is not known.
const noDevice = math.MaxUint64

// addQuotas ensures that there are quotas for n devices, or as many as leave a shared slot,
// but at most maxQuotas. A limiter begins with one. There is one for each ring that is
// started.
func (g *limiter) addQuotas(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.quotas) < min(n, maxQuotas) && g.addQuota() {
		g.offerQuota(g.quotas[len(g.quotas)-1])
	}
}

// addQuota adds a quota and reports whether it did: there may be too many already. It must
// be called with mu held.
func (g *limiter) addQuota() bool {
	n, size := int32(len(g.quotas))+1, g.quotaSize()
	ofLimit := n <= maxQuotas && max(2, n)*size < g.limit // room for two, or none
	if !ofLimit && (n == 1 || n > maxQuotas+g.onTop) {
		return false
	}
	g.quotas = append(g.quotas, &deviceQuota{device: noDevice, size: size})
	if ofLimit {
		g.quotaPlaces.Store(n * size)
	}
	return true
}

// quotaOf returns the quota of a device. If the device has none, it is given one that is
// unused, or a new one. If there can be none, quotaOf returns nil. It must be called with mu
// held.
func (g *limiter) quotaOf(device uint64) *deviceQuota {
	var unused *deviceQuota
	for _, s := range g.quotas {
		switch {
		case s.device == device:
			return s
		case s.used == 0 && s.queue.Len() == 0:
			unused = s
		}
	}
	if unused == nil {
		if !g.addQuota() {
			return nil
		}
		unused = g.quotas[len(g.quotas)-1]
	}
	unused.device = device
	return unused
}

// tryAcquire takes a slot of s, if one is free. It must be called with limiter.mu held.
func (s *deviceQuota) tryAcquire() bool {
	if s == nil || s.used >= s.size {
		return false
	}
	s.used++
	return true
}

// acquireQuota takes a slot of the device's quota, if one is free and fewer than most slots
// are taken: of the shared ones and those of the quota together.
func (g *limiter) acquireQuota(device uint64, most int32) (slot, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.quotaOf(device)
	if s == nil || g.used.Load()+s.used >= most {
		return nil, false
	}
	return s, s.tryAcquire()
}

// releaseQuota gives back a slot of s.
func (g *limiter) releaseQuota(s *deviceQuota) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.notify(s.queue.Front(), wakeup{handed: true, slot: s}) {
		return
	}
	s.used--
	g.offerQuota(s)
}

// offerQuota wakes a waiter for a slot of s, if one is free: the first waiter for s's device.
// If there is none and nobody uses s, the quota goes to the device of the first waiter
// without a quota, and that waiter is woken. It must be called with mu held.
func (g *limiter) offerQuota(s *deviceQuota) {
	if s.used >= s.size || g.notify(s.queue.Front(), wakeup{slot: s}) || s.used > 0 {
		return
	}
	if w := g.unassigned.Front(); w != nil {
		s.device = w.device
		g.notify(w, wakeup{slot: s})
	}
}

// inUse returns the number of slots that are taken, in quotas too.
func (g *limiter) inUse() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.used.Load()
	for _, s := range g.quotas {
		n += s.used
	}
	return int(n)
}

// wakeFirstOfQuota is offerQuota, for a caller that does not hold mu.
func (g *limiter) wakeFirstOfQuota(s *deviceQuota) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.offerQuota(s)
}
