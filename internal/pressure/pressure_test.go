package pressure

import (
	"testing"
	"time"
)

// A slow wait counts for a while, the next one for longer, and a quick one ends that.
func TestSignal(t *testing.T) {
	var s Signal
	now := time.Hour
	if s.Taken(now) {
		t.Error("the zero Signal says that the processors are taken")
	}
	for i, c := range []struct{ wait, lasts time.Duration }{
		{Slow - 1, 0},
		{Slow, firstTime},
		{Slow, 4 * firstTime},
		{time.Hour, 16 * firstTime},
		{Slow, lastTime},
		{Slow, lastTime},
		{0, 0},
		{Slow, firstTime},
	} {
		s.Waited(c.wait, now)
		if before, after := s.Taken(now+c.lasts-1), s.Taken(now+c.lasts); before != (c.lasts > 0) || after {
			t.Errorf("%d: after a wait of %v the processors are taken just before %v: %t, and then: %t", i, c.wait, c.lasts, before, after)
		}
		now += 2 * lastTime
	}
}
