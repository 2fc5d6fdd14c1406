package limiter

import (
	"math"

	"github.com/sluiceio/sluice/internal/list"
)

// Kind is a kind of call. The calls of one kind to a device may hang while it answers the others: a
// frozen file system answers reads.
type Kind uint8

// The kinds of calls. Changes is what changes a file and is no write, such as an allocation.
const (
	Reads Kind = iota
	Writes
	Syncs
	Changes
)

// deviceQuota is a number of permits that a Limiter reserves for the calls of one kind to one
// device. A quota is given to them when a goroutine finds no shared permit for such a call. So a
// device whose calls have all shared permits and do not end holds up no call to another device. If
// only its calls of one kind do not end, they hold up no call of another kind.
//
// The permits of the first maxQuotas quotas come out of the limit. When such a quota is made, its
// permits may be taken as shared ones still; then more than limit are in use until enough of those
// are released. Further quotas are on top of the limit. So is a quota that is made for another kind
// of calls to a device that has a quota.
//
// A quota that no goroutine uses or waits for goes to other calls: to those that the first waiter
// without a quota waits for, or else to the next that need one.
//
// All fields are guarded by Limiter.mu. A nil quota has no permits.
type deviceQuota struct {
	device uint64 // NoDevice until the quota is given to a device
	kind   Kind
	size   int32
	used   int32
	queue  list.List[waiter] // the waiters of Limiter.queue that are for these calls
}

// isFor reports whether q is the quota of the calls of a kind to a device.
func (q *deviceQuota) isFor(device uint64, kind Kind) bool {
	return q.device == device && q.kind == kind
}

// unused reports whether no goroutine uses q or waits for it.
func (q *deviceQuota) unused() bool { return q.used == 0 && q.queue.Len() == 0 }

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
	for int(l.ofLimit) < min(n, maxQuotas) && l.addQuotaOfLimit() {
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
	l.inQuotas.Store(l.ofLimit * size)
}

// addQuotaOfLimit adds a quota whose permits come out of the limit, and reports whether it did:
// there may be too many already. It must be called with mu held.
func (l *Limiter) addQuotaOfLimit() bool {
	n, size := l.ofLimit+1, quotaSize(l.Limit())
	if n > maxQuotas || max(2, n)*size >= l.Limit() { // room for two, or none
		return false
	}
	l.quotas = append(l.quotas, &deviceQuota{device: NoDevice, size: size})
	l.ofLimit = n
	l.inQuotas.Store(n * size)
	return true
}

// addQuotaOnTop is addQuotaOfLimit for a quota on top of the limit. There is none if no quota comes
// out of the limit.
func (l *Limiter) addQuotaOnTop() bool {
	if l.ofLimit == 0 || int32(len(l.quotas))-l.ofLimit >= l.onTop {
		return false
	}
	l.quotas = append(l.quotas, &deviceQuota{device: NoDevice, size: quotaSize(l.Limit())})
	return true
}

// quotaOf returns the quota of the calls of a kind to a device. If they have none, they are given
// one that is unused, or a new one, and the caller must take a permit of that. If there can be none,
// quotaOf returns nil. It must be called with mu held.
func (l *Limiter) quotaOf(device uint64, kind Kind) *deviceQuota {
	var unused *deviceQuota
	known := false // the device has a quota for another kind
	for _, q := range l.quotas {
		switch {
		case q.isFor(device, kind):
			return q
		case q.unused():
			unused = q
		case q.device == device:
			known = true
		}
	}
	if unused == nil {
		if added := !known && l.addQuotaOfLimit() || l.addQuotaOnTop(); !added {
			return nil
		}
		unused = l.quotas[len(l.quotas)-1]
	}
	l.assign(unused, device, kind, 1)
	return unused
}

// assign gives q, which nobody uses or waits for, to the calls of a kind to a device. Their waiters
// wait for q from now on, and as many of them are woken as there are permits, less keep for the
// caller. If the others stayed in unassigned, the next quota would be given to the same calls: some
// that hang could have them all. It must be called with mu held.
func (l *Limiter) assign(q *deviceQuota, device uint64, kind Kind, keep int32) {
	q.device, q.kind = device, kind
	for w := l.unassigned.Front(); w != nil; {
		next := w.quotaLinks.Next()
		if q.isFor(w.device, w.kind) {
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

// TryAcquireOfQuota takes a permit of the quota for reads of a device, if one is free and fewer than
// most permits are taken: of the shared ones and those of the quota together.
func (l *Limiter) TryAcquireOfQuota(device uint64, most int32) (Permit, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shared := l.used.Load()
	if shared >= most { // before quotaOf: a quota that the device is given must not stay unused
		return Permit{}, false
	}
	q := l.quotaOf(device, Reads)
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

// offerQuota wakes a waiter for a permit of q, if one is free: the first waiter in q's queue.
// If there is none and q is not in use, the quota goes to the calls that the first waiter
// without a quota waits for. It must be called with mu held.
func (l *Limiter) offerQuota(q *deviceQuota) {
	if q.used >= q.size || l.notify(q.queue.Front(), wakeup{quota: q}) || q.used > 0 {
		return
	}
	if w := l.unassigned.Front(); w != nil {
		l.assign(q, w.device, w.kind, 0)
	}
}

// wakeFirstOfQuota is offerQuota, for a caller that does not hold mu.
func (l *Limiter) wakeFirstOfQuota(q *deviceQuota) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offerQuota(q)
}
