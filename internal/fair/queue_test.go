package fair

import (
	"math"
	"testing"
	"time"
)

var wide = Cap{Depth: 16, Bytes: 2 << 20, Beside: 128 << 10}

// TestShares makes classes of random weights and sizes wait all the time. Each gets its share of
// the device, within 5 %.
func TestShares(t *testing.T) {
	for range 4 {
		d := newDisk(t, wide)
		var classes []*Class
		all := 0
		for range 2 + d.r.IntN(5) {
			c := d.q.Add(d.now, Settings{Weight: 1 + d.r.IntN(20)})
			classes = append(classes, c)
			all += c.Weight
			n := 1 << (12 + d.r.IntN(9)) // 4 KiB to 1 MiB
			for range 40 {
				d.stream(c, n)
			}
		}
		d.run(time.Second)
		total := 0.0
		for _, c := range classes {
			total += d.cost[c]
		}
		for _, c := range classes {
			got, want := d.cost[c]/total, float64(c.Weight)/float64(all)
			if math.Abs(got/want-1) > 0.05 {
				t.Errorf("weight %d of %d: a share of %.4f; want %.4f", c.Weight, all, got, want)
			}
		}
	}
}

// TestWeightOne has a class of weight 1 beside classes of the greatest weight, which wait all the
// time, or never. It must make progress.
func TestWeightOne(t *testing.T) {
	for _, readers := range []int{1, 200} {
		weightOne(t, newDisk(t, wide), readers)
	}
}

// TestWeightOneAfterAYear is TestWeightOne on a device that has moved 3 GB a second for a year.
func TestWeightOneAfterAYear(t *testing.T) {
	d := newDisk(t, wide)
	d.q.virtual = 1e17
	weightOne(t, d, 200)
}

func weightOne(t *testing.T, d *disk, readers int) {
	one := d.q.Add(d.now, Settings{Weight: 1})
	heavy := d.q.Add(d.now, Settings{Weight: 10_000})
	d.stream(one, 1<<20)
	for range readers {
		d.stream(heavy, 4<<10)
	}
	d.run(4 * time.Second)
	share := d.cost[one] / (d.cost[one] + d.cost[heavy])
	if n := len(d.begun[one]); n < 2 || share < 0.95/10_001 {
		t.Errorf("beside %d readers: %d requests, a share of %g", readers, n, share)
	}
}

// TestInteractive has a light class read all it can beside a heavy class that reads now and then.
// The light class has at most Cap.Beside in flight, and the whole device once the heavy class has
// ended.
func TestInteractive(t *testing.T) {
	d := newDisk(t, wide)
	flood, reader := d.q.Add(d.now, Settings{Weight: 1}), d.q.Add(d.now, Settings{Weight: 100})
	for range 8 {
		d.stream(flood, 1<<20)
	}
	d.run(time.Second)
	if flood.bytes < wide.Bytes-Part {
		t.Errorf("%d bytes in flight without a reader; want %d", flood.bytes, wide.Bytes)
	}
	for range 100 {
		r := &Ticket{}
		d.q.Push(d.now, r, reader, 4<<10)
		d.run(d.now + linger/2)
		if r.links.Next() != nil || reader.queue.Len() > 0 || reader.inflight > 0 {
			t.Fatal("a read has not ended")
		}
		if flood.bytes > wide.Beside || flood.bytes == 0 {
			t.Fatalf("%d bytes in flight beside a reader; want %d at most", flood.bytes, wide.Beside)
		}
	}
	d.run(d.now + 2*linger)
	if flood.bytes < wide.Bytes-Part {
		t.Errorf("%d bytes in flight after the reader; want %d", flood.bytes, wide.Bytes)
	}
}

// TestAdmitted has a class that makes only requests outside the cap. A lighter class then has at
// most Cap.Beside in flight, and only requests outside the cap overtake requests that wait for
// room.
func TestAdmitted(t *testing.T) {
	d := newDisk(t, wide)
	flood, syncs := d.q.Add(d.now, Settings{Weight: 1}), d.q.Add(d.now, Settings{Weight: 100})
	for range 8 {
		d.stream(flood, 1<<20)
	}
	d.run(time.Second)
	var sync Ticket
	d.q.Admit(&sync, syncs, 0)
	d.run(d.now + time.Second)
	if flood.bytes > wide.Beside || flood.bytes == 0 {
		t.Errorf("%d bytes in flight beside a sync; want %d at most", flood.bytes, wide.Beside)
	}
	d.q.Done(d.now, &sync, 0)
	d.run(d.now + 2*linger)
	if flood.bytes < wide.Bytes-Part {
		t.Errorf("%d bytes in flight after the sync; want %d", flood.bytes, wide.Bytes)
	}
	if s := syncs.Stats(); s.Requests != 1 || s.InFlight != 0 || s.Bytes != 0 {
		t.Errorf("the class that syncs has done %+v; want one request", s)
	}
}

// TestLimits has classes with limits that wait all the time. In any time they begin what the rate
// gives: at most a burst more, and no less.
func TestLimits(t *testing.T) {
	for range 3 {
		d := newDisk(t, wide)
		iops, bytes := int64(1+d.r.IntN(5000)), int64(10_000+d.r.IntN(100<<20))
		byIOPS := d.q.Add(d.now, Settings{Weight: 7, IOPS: iops})
		byBytes := d.q.Add(d.now, Settings{Weight: 7, Bytes: bytes})
		free := d.q.Add(d.now, Settings{Weight: 1})
		for range 3 {
			d.stream(byIOPS, 4<<10)
			d.stream(byBytes, 4<<10)
			d.stream(free, 4<<10)
		}
		const seconds = 2
		d.run(seconds * time.Second)
		within := func(what string, got, rate, burst int64, capacity float64) {
			most, least := rate*seconds+burst, float64(rate*seconds)
			if capacity < least { // the device limits it
				return
			}
			if got > most || float64(got) < least-1 {
				t.Errorf("%s: %d in %d seconds; want %d to %d", what, got, seconds, rate*seconds, most)
			}
		}
		// Three classes share the stream, with about 60 µs for a request; leave a margin.
		within("requests", int64(len(d.begun[byIOPS])), iops, max(1, iops/burstsPerSecond), seconds*20_000)
		n := int64(len(d.begun[byBytes])) * (4 << 10)
		within("bytes", n+4<<10, bytes, max(1, bytes/burstsPerSecond)+8<<10, seconds*20_000*4<<10)
		everyWindow(t, d.begun[byIOPS], iops)
	}
}

// everyWindow checks that no time has more than its rate and a burst.
func everyWindow(t *testing.T, begun []time.Duration, rate int64) {
	t.Helper()
	burst := max(1, rate/burstsPerSecond)
	for i := range begun {
		for _, k := range []int{1, int(burst), 10 * int(burst)} {
			if i+k >= len(begun) {
				continue
			}
			since := begun[i+k] - begun[i]
			if most := burst + int64(math.Ceil(float64(rate)*since.Seconds()+1e-6)); int64(k+1) > most {
				t.Fatalf("%d requests in %v; want %d at most", k+1, since, most)
			}
		}
	}
}

// TestDepth has a class with a depth. disk.within checks the depth.
func TestDepth(t *testing.T) {
	d := newDisk(t, wide)
	c := d.q.Add(d.now, Settings{Weight: 10, Depth: 3})
	other := d.q.Add(d.now, Settings{Weight: 10})
	for range 10 {
		d.stream(c, 64<<10)
	}
	d.stream(other, 4<<10)
	d.run(time.Second)
	if c.inflight != 3 || len(d.begun[other]) < 1000 {
		t.Errorf("%d in flight, %d requests of the other class", c.inflight, len(d.begun[other]))
	}
}

// TestNothingSavedUp lets a class come back that was held by a limit, or idle. It must not overtake
// other classes for unused shares.
func TestNothingSavedUp(t *testing.T) {
	d := newDisk(t, wide)
	held := d.q.Add(d.now, Settings{Weight: 10, IOPS: 1})
	other := d.q.Add(d.now, Settings{Weight: 10})
	for range 40 {
		d.stream(held, 4<<10)
		d.stream(other, 4<<10)
	}
	d.run(2 * time.Second)
	held.Configure(d.now, Settings{Weight: 10})
	h, o := d.cost[held], d.cost[other]
	d.run(d.now + 100*time.Millisecond)
	if h, o = d.cost[held]-h, d.cost[other]-o; math.Abs(h/o-1) > 0.05 {
		t.Errorf("after the limit was lifted %.0f against %.0f; want the same", h, o)
	}
}

// TestWithdraw takes requests out while they wait. No request after them may be held up, and the
// counts must be right.
func TestWithdraw(t *testing.T) {
	d := newDisk(t, Cap{Depth: 1, Bytes: Part, Beside: SmallPart})
	c := d.q.Add(0, Settings{Weight: 1})
	tickets := make([]Ticket, 10)
	for i := range tickets {
		d.q.Push(0, &tickets[i], c, 100)
	}
	first, _ := d.q.Next(0)
	if first != &tickets[0] || d.q.Withdraw(first) {
		t.Fatal("what has begun was withdrawn")
	}
	d.q.WithdrawIf(func(t *Ticket) bool { return t != &tickets[9] })
	d.q.Done(0, first, 100)
	if next, _ := d.q.Next(0); next != &tickets[9] || d.q.Withdraw(&tickets[3]) {
		t.Errorf("the next is not the one that was left")
	}
	if s := c.Stats(); s.Queued != 0 || s.InFlight != 1 || s.Requests != 2 || s.Bytes != 100 {
		t.Errorf("Stats = %+v", s)
	}
}

// TestRemove removes a class whose limits hold requests back. They begin without the limits, and
// the Queue forgets the class when the last of them has ended.
func TestRemove(t *testing.T) {
	d := newDisk(t, wide)
	d.q.Add(d.now, Settings{Weight: 1})
	c := d.q.Add(d.now, Settings{Weight: 7, IOPS: 1, Bytes: 100, Depth: 1})
	tickets := make([]Ticket, 10)
	for i := range tickets {
		d.q.Push(d.now, &tickets[i], c, 100)
	}
	d.run(d.now + 10*time.Millisecond)
	if s := c.Stats(); s.Queued != 9 || s.Requests != 1 {
		t.Fatalf("Stats = %+v; want 9 requests held back by the limits", s)
	}
	d.q.Remove(d.now, c)
	if c.Limited() || c.Weight != 7 || len(d.q.classes) != 2 {
		t.Errorf("%d classes, that removed has %+v; want 2, and the weight alone", len(d.q.classes), c.Settings)
	}
	d.run(d.now + 10*time.Millisecond)
	if s := c.Stats(); s.Queued != 0 || s.InFlight != 0 || s.Requests != 10 || s.Bytes != 1000 {
		t.Errorf("Stats = %+v; want 10 requests of 100 bytes, which have ended", s)
	}
	if len(d.q.classes) != 1 {
		t.Errorf("%d classes after the last request of the one removed; want 1", len(d.q.classes))
	}
}

// TestRemoveWithdrawn takes out the last request of a removed class, while it waits, and while
// another is in flight. The Queue must forget the class with its last request.
func TestRemoveWithdrawn(t *testing.T) {
	withdrawals := map[string]func(q *Queue, t *Ticket){
		"Withdraw": func(q *Queue, t *Ticket) { q.Withdraw(t) },
		"WithdrawIf": func(q *Queue, t *Ticket) {
			q.WithdrawIf(func(other *Ticket) bool { return other == t })
		},
	}
	for name, withdraw := range withdrawals {
		for _, begun := range []bool{false, true} {
			q := &Queue{Cap: wide}
			q.Add(0, Settings{Weight: 1})
			c := q.Add(0, Settings{Weight: 1, Depth: 1})
			var first, waits Ticket
			if begun {
				q.Push(0, &first, c, 100)
				q.Next(0)
			}
			q.Push(0, &waits, c, 100)
			q.Remove(0, c)
			if len(q.classes) != 2 {
				t.Errorf("%s: %d classes while a request waits; want 2", name, len(q.classes))
			}
			withdraw(q, &waits)
			if begun {
				if q.Next(0); len(q.classes) != 2 {
					t.Errorf("%s: %d classes while a request is in flight; want 2", name, len(q.classes))
				}
				q.Done(0, &first, 100)
			}
			if q.Next(0); len(q.classes) != 1 {
				t.Errorf("%s: %d classes at the end; want 1", name, len(q.classes))
			}
		}
	}
}

// TestRemoveMany adds, uses and removes classes. The Queue's table must not grow.
func TestRemoveMany(t *testing.T) {
	q := &Queue{Cap: wide}
	for range 10_000 {
		c := q.Add(0, Settings{Weight: 1})
		var sync Ticket
		q.Admit(&sync, c, 0)
		q.Remove(0, c)
		q.Done(0, &sync, 0)
		q.Next(0)
	}
	if len(q.classes) != 0 || cap(q.classes) > 8 {
		t.Errorf("%d classes in a table of %d; want none in a small one", len(q.classes), cap(q.classes))
	}
}
