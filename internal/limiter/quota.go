package limiter

import (
	"math"

	"github.com/sluiceio/sluice/internal/list"
)

// deviceQuota is a number of permits that a Limiter reserves for one device. A device gets a
// quota when a goroutine finds no shared permit for a call to it. So a device whose calls
// have all shared permits and do not end holds up no call to another device.
//
// The permits of the first maxQuotas quotas come out of the limit. When such a quota is made, its
// permits may be taken as shared ones still; then more than limit are in use until enough of those
// are released. The quotas of further devices are on top of the limit.
//
// A quota that no goroutine uses or waits for goes to another device: to that of the first
// waiter without a quota, or else to the next device that needs one.
//
// All fields are guarded by Limiter.mu. A nil quota has no permits.
type deviceQuota struct {
	device uint64 // NoDevice until the quota is given to a device
	size   int32
	used   int32
	queue  list.List[waiter] // the waiters of Limiter.queue that are for this device
}

// maxQuotas is the most quotas that come out of the limit. It is the default number of
// rings. QuotasOnTop is how many quotas more there may be on top of the limit, in a Limiter
// that allows it.
const (
	maxQuotas   = 3
	QuotasOnTop = 13
)

// quotaSize returns the number of permits of a quota. It is 1 for a small limit and grows with
// the limit: where threads are all the parallelism that there is, one permit would be too few.
func quotaSize(limit int32) int32 { return max(1, limit/16) }

// NoDevice stands for the device of a file that is on none, or on one that is not known.
const NoDevice = math.MaxUint64

// AddQuotas ensures that there are quotas for n devices, or as many as leave a shared permit,
// but at most maxQuotas. A Limiter begins with one. There is one for each ring that is
// started.
func (l *Limiter) AddQuotas(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.quotas) < min(n, maxQuotas) && l.addQuota() {
		l.offerQuota(l.quotas[len(l.quotas)-1])
	}
}

// widenQuotas gives the quotas the size that they have under a larger limit, and wakes
// goroutines that wait for the new permits. It must be called with mu held.
func (l *Limiter) widenQuotas(limit int32) {
	size := quotaSize(limit)
	for _, q := range l.quotas {
		for ; q.size < size; l.offerQuota(q) {
			q.size++
		}
	}
	if l.HasQuotas() {
		l.inQuotas.Store(min(int32(len(l.quotas)), maxQuotas) * size)
	}
}

// addQuota adds a quota and reports whether it did: there may be too many already. It must
// be called with mu held.
func (l *Limiter) addQuota() bool {
	n, size := int32(len(l.quotas))+1, quotaSize(l.Limit())
	ofLimit := n <= maxQuotas && max(2, n)*size < l.Limit() // room for two, or none
	if !ofLimit && (n == 1 || l.onTop == 0 || n > maxQuotas+l.onTop) {
		return false
	}
	l.quotas = append(l.quotas, &deviceQuota{device: NoDevice, size: size})
	if ofLimit {
		l.inQuotas.Store(n * size)
	}
	return true
}

// quotaOf returns the quota of a device. If the device has none, it is given one that is
// unused, or a new one, and the caller must take a permit of that. If there can be none, quotaOf
// returns nil. It must be called with mu held.
func (l *Limiter) quotaOf(device uint64) *deviceQuota {
	var unused *deviceQuota
	for _, q := range l.quotas {
		switch {
		case q.device == device:
			return q
		case q.used == 0 && q.queue.Len() == 0:
			unused = q
		}
	}
	if unused == nil {
		if !l.addQuota() {
			return nil
		}
		unused = l.quotas[len(l.quotas)-1]
	}
	l.assign(unused, device, 1)
	return unused
}

// assign gives q, which nobody uses or waits for, to a device. The device's waiters wait for q from now on, and
// as many of them are woken as there are permits, less keep for the caller. If the others stayed in unassigned,
// the next quota would be given to the same device: one that hangs could have them all. It must be called with mu held.
func (l *Limiter) assign(q *deviceQuota, device uint64, keep int32) {
	q.device = device
	for w := l.unassigned.Front(); w != nil; {
		next := w.quotaLinks.Next()
		if w.device == device {
			l.unassigned.Remove(&w.quotaLinks)
			w.quota = q
			q.queue.PushBack(&w.quotaLinks, w)
		}
		w = next
	}
	for free := q.size - keep; free > 0 && l.notify(q.queue.Front(), wakeup{quota: q}); free-- {
	}
}

// tryAcquire takes a permit of q, if one is free. It must be called with Limiter.mu held.
func (q *deviceQuota) tryAcquire() bool {
	if q == nil || q.used >= q.size {
		return false
	}
	q.used++
	return true
}

// HasQuotas reports whether some permits of the limit are reserved for devices.
func (l *Limiter) HasQuotas() bool { return l.inQuotas.Load() > 0 }

// TryAcquireOfQuota takes a permit of the device's quota, if one is free and fewer than most
// permits are taken: of the shared ones and those of the quota together.
func (l *Limiter) TryAcquireOfQuota(device uint64, most int32) (Permit, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shared := l.used.Load()
	if shared >= most { // before quotaOf: a quota that the device is given must not stay unused
		return Permit{}, false
	}
	q := l.quotaOf(device)
	if q == nil || shared+q.used >= most {
		return Permit{}, false
	}
	return Permit{quota: q}, q.tryAcquire()
}

// releaseToQuota gives back a permit of q.
func (l *Limiter) releaseToQuota(q *deviceQuota) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.notify(q.queue.Front(), wakeup{handed: true, quota: q}) {
		return
	}
	q.used--
	l.offerQuota(q)
}

// offerQuota wakes a waiter for a permit of q, if one is free: the first waiter for q's device.
// If there is none and q is not in use, the quota goes to the device of the first waiter
// without a quota. It must be called with mu held.
func (l *Limiter) offerQuota(q *deviceQuota) {
	if q.used >= q.size || l.notify(q.queue.Front(), wakeup{quota: q}) || q.used > 0 {
		return
	}
	if w := l.unassigned.Front(); w != nil {
		l.assign(q, w.device, 0)
	}
}

// wakeFirstOfQuota is offerQuota, for a caller that does not hold mu.
func (l *Limiter) wakeFirstOfQuota(q *deviceQuota) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offerQuota(q)
}
