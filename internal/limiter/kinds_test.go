package limiter

import (
	"fmt"
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
)

// kindsOfCalls are all kinds.
var kindsOfCalls = []Kind{Reads, Writes, Syncs, Changes}

// fillWith takes for a kind of call to a device whatever permits there can be, and has some wait.
// It returns the quotas of the permits.
func (l *Limiter) fillWith(device uint64, kind Kind) (inside []*deviceQuota) {
	for waiting := 0; waiting < 10; {
		w := newWaiterFor(device)
		w.kind = kind
		if q, ok := l.enqueue(w); ok {
			inside = append(inside, q)
		} else {
			waiting++
		}
	}
	return inside
}

// Calls of some kinds that have all permits that they can have, and keep them, hold up no call of
// another kind to the same device, and none to another device.
func TestStalledKinds(t *testing.T) {
	for _, limit := range []int32{3, 5, 64} {
		for stalled := 1; stalled < 1<<len(kindsOfCalls); stalled++ {
			t.Run(fmt.Sprintf("limit=%d,stalled=%04b", limit, stalled), func(t *testing.T) {
				hang.Watch(t)
				l := &Limiter{base: limit, onTop: QuotasOnTop}
				l.AddQuotas(1)
				inside := 0
				for _, kind := range kindsOfCalls {
					if stalled&(1<<kind) != 0 {
						inside += len(l.fillWith(1, kind))
					}
				}
				for device := uint64(1); device <= 2; device++ {
					for _, kind := range kindsOfCalls {
						if device == 1 && stalled&(1<<kind) != 0 {
							continue
						}
						for range 20 { // hangs if the stalled ones are in the way
							p, err := l.Acquire(t.Context(), device, kind)
							if err != nil {
								t.Fatal(err)
							}
							l.Release(p)
						}
					}
				}
				if most := int(limit) + 3*int(quotaSize(limit)); inside > most {
					t.Errorf("%d are inside for one device; want %d at most", inside, most)
				}
			})
		}
	}
}

// The quota of another kind of calls to a device takes nothing from the shared permits.
func TestKindsLeaveSharedPermits(t *testing.T) {
	l := &Limiter{base: 5, onTop: QuotasOnTop}
	l.AddQuotas(1)
	for _, kind := range kindsOfCalls {
		l.fillWith(1, kind)
	}
	if n := l.SharedLimit(); n != 4 {
		t.Errorf("%d permits are shared; want 4", n)
	}
}
