package fair

import (
	"testing"
	"time"
)

// A greater rate does not fill a bucket: after a rest it holds the old burst, and no more. A first
// rate does.
func TestRateChangeFillsNothing(t *testing.T) {
	const now = time.Hour
	var b bucket
	b.set(0, burstsPerSecond) // it holds a token
	b.set(now, 10*burstsPerSecond)
	b.take(now, 1)
	if ready, want := b.ready(now, 1), now+time.Millisecond; ready != want {
		t.Errorf("a token more can be taken at %v; want %v", ready, want)
	}
	b.set(now, 0)
	b.set(now, 10*burstsPerSecond)
	for range 10 {
		if ready := b.ready(now, 1); ready != now {
			t.Errorf("a token of a new limit's burst can be taken at %v; want %v", ready, now)
		}
		b.take(now, 1)
	}
}
