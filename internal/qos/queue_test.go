package qos

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/usecount"
)

// oneAtATime returns Classes with one queue, which grants one ticket at a time.
func oneAtATime() (*Classes, *Class) {
	s := new(Classes)
	start := time.Now()
	s.Init(func() time.Duration { return time.Since(start) })
	s.SetCapFinder(func(uint64) fair.Cap { return fair.Cap{Depth: 1, Bytes: 1 << 20, Beside: 1 << 20} })
	s.NewQueue(0)
	return s, s.New("class", fair.Settings{Weight: 1})
}

// take takes a ticket for a byte in another goroutine, and returns once that goroutine waits for
// it.
func take(ctx context.Context, s *Classes, c *Class, file *usecount.Count) chan int32 {
	result := make(chan int32, 1)
	before := c.Stats().Queued
	go func() {
		t, res := s.queues[0].Take(ctx, c, file, 1, fair.Read)
		if t != nil {
			t.End(1)
		}
		result <- res
	}()
	hang.Eventually(func() bool { return c.Stats().Queued > before })
	return result
}

// A goroutine that waits for its ticket gets it when there is room. If its context ends, or its
// file is closed, it gets a result instead, and holds up no other goroutine.
func TestTake(t *testing.T) {
	hang.Watch(t)
	s, c := oneAtATime()
	held, _ := s.queues[0].Take(t.Context(), c, nil, 1, fair.Read)
	var closed, open usecount.Count
	closed.Init()
	ctx, cancel := context.WithCancel(t.Context())
	canceled := take(ctx, s, c, &open)
	rejected := take(t.Context(), s, c, &closed)
	granted := take(t.Context(), s, c, &open)
	cancel()
	if res := <-canceled; res != Canceled {
		t.Errorf("Take with a context that ends = %d; want %d", res, Canceled)
	}
	closed.Close(func() { s.RejectFile(&closed) })
	if res := <-rejected; res != Closed {
		t.Errorf("Take for a file that is closed = %d; want %d", res, Closed)
	}
	if _, res := s.queues[0].Take(t.Context(), c, &closed, 1, fair.Read); res != Closed {
		t.Errorf("Take for a closed file = %d; want %d", res, Closed)
	}
	held.End(1)
	if res := <-granted; res != 0 {
		t.Errorf("Take = %d; want 0", res)
	}
	if st := c.Stats(); st.Queued != 0 || st.InFlight != 0 || st.Requests != 2 || st.Bytes != 2 {
		t.Errorf("Stats = %+v; want 2 requests of a byte, none queued or in flight", st)
	}
	s.Close()
}

// An ended ticket is used again: an operation that need not wait allocates nothing.
func TestTicketsAreUsedAgain(t *testing.T) {
	s, c := oneAtATime()
	defer s.Close()
	n := testing.AllocsPerRun(100, func() {
		held, _ := s.queues[0].Take(context.Background(), c, nil, 1, fair.Read)
		held.End(1)
	})
	if n > 0 && !sys.RaceEnabled {
		t.Errorf("Take and End allocate %v times; want 0", n)
	}
}

// played is a Waiter that counts its calls.
type played struct {
	granted, rejected int
	res               int32
}

func (p *played) Granted()           { p.granted++ }
func (p *played) Rejected(res int32) { p.rejected++; p.res = res }

// A Waiter is granted its ticket once for each Request, or is rejected once. Once its ticket was
// withdrawn, each Request is rejected, until the ticket is another operation's.
func TestWaiter(t *testing.T) {
	s, c := oneAtATime()
	var first, second, third played
	t1, t2 := s.queues[0].NewTicket(&first, nil, fair.Read), s.queues[0].NewTicket(&second, nil, fair.Read)
	t1.Request(c, 1)
	t2.Request(c, 1)
	if first.granted != 1 || second.granted != 0 {
		t.Fatalf("%d and %d tickets granted; want 1 and 0", first.granted, second.granted)
	}
	t1.End(1)
	t1.Request(c, 1)
	if first.granted != 1 || second.granted != 1 {
		t.Fatalf("%d and %d tickets granted after one has ended; want 1 and 1", first.granted, second.granted)
	}
	if !t1.Withdraw() || t1.Withdraw() || first.rejected != 1 || first.res != Canceled {
		t.Errorf("a ticket that waited was rejected %d times with %d; want once with %d", first.rejected, first.res, Canceled)
	}
	if t1.Request(c, 1); first.rejected != 2 || first.granted != 1 {
		t.Errorf("the request of a ticket that was withdrawn was rejected %d times; want 1", first.rejected-1)
	}
	if t2.Withdraw() || second.rejected != 0 {
		t.Error("a ticket that was granted was withdrawn")
	}
	t2.End(1)
	if t2.Request(c, 1); second.rejected != 1 || second.granted != 1 {
		t.Errorf("the next request of a ticket that was withdrawn was rejected %d times; want once", second.rejected)
	}
	t2.Free()
	t2 = s.queues[0].NewTicket(&third, nil, fair.Read) // the same, but for the race detector
	if t2.Request(c, 1); third.granted != 1 {
		t.Errorf("the ticket of the next operation was granted %d times; want once", third.granted)
	}
	t2.End(1)
	t2.Free()
	unasked := s.queues[0].NewTicket(&third, nil, fair.Read)
	if unasked.Withdraw() || third.rejected != 0 {
		t.Error("a ticket that was not requested was withdrawn")
	}
	unasked.Free()
	if st := c.Stats(); st.Queued != 0 || st.InFlight != 0 {
		t.Errorf("Stats = %+v; want none queued or in flight", st)
	}
	t1.Free()
	s.Close()
}

// A large operation that waits for room and is withdrawn makes room for a small one behind it.
func TestWithdrawMakesRoom(t *testing.T) {
	s, c := oneAtATime()
	s.SetCapFinder(func(uint64) fair.Cap { return fair.Cap{Depth: 8, Bytes: 1 << 20, Beside: 1 << 20} })
	q := s.queues[0]
	s.FindCap(q)
	var held, large, small played
	first, second, third := q.NewTicket(&held, nil, fair.Read), q.NewTicket(&large, nil, fair.Read), q.NewTicket(&small, nil, fair.Read)
	first.Request(c, 512<<10)
	fourth := q.NewTicket(&held, nil, fair.Read)
	fourth.Request(c, 300<<10)
	second.Request(c, 512<<10)
	third.Request(c, 1)
	if held.granted != 2 || large.granted != 0 || small.granted != 0 {
		t.Fatalf("granted: %d held, %d large, %d small; want 2, 0, 0", held.granted, large.granted, small.granted)
	}
	if !second.Withdraw() || small.granted != 1 {
		t.Errorf("the small operation was granted %d times once the large one was withdrawn; want once", small.granted)
	}
	for _, ticket := range []*Ticket{first, fourth, third} {
		ticket.End(1)
	}
	for _, ticket := range []*Ticket{first, second, third, fourth} {
		ticket.Free()
	}
	s.Close()
}

// A class is removed while one of its operations runs and one waits: both go on, later ones are in
// the default class, and the class's Stats can still be read.
func TestRemove(t *testing.T) {
	hang.Watch(t)
	s, c := oneAtATime()
	held, _ := s.queues[0].Take(t.Context(), c, nil, 1, fair.Read)
	waits := take(t.Context(), s, c, nil)
	if !c.Remove() || c.Remove() || c.Configure(fair.Settings{Weight: 5, Depth: 1}) {
		t.Error("want one Remove that succeeds, and no Configure after it")
	}
	if o := c.Settings(); o != (fair.Settings{Weight: 1}) || c.Limited() {
		t.Errorf("Settings = %+v of a removed class; want the weight alone", o)
	}
	var later played
	other := s.queues[0].NewTicket(&later, nil, fair.Read)
	other.Request(c, 1)
	if st := s.Default().Stats(); st.Queued != 1 {
		t.Errorf("%d operations of the default class wait; want that requested after Remove", st.Queued)
	}
	if !other.Withdraw() || later.rejected != 1 {
		t.Errorf("the operation requested after Remove was rejected %d times; want once", later.rejected)
	}
	other.Free()
	held.End(1)
	if res := <-waits; res != 0 {
		t.Errorf("Take = %d; want 0", res)
	}
	if st := c.Stats(); st.Queued != 0 || st.InFlight != 0 || st.Requests != 2 || st.Bytes != 2 {
		t.Errorf("Stats = %+v of a removed class; want 2 requests of a byte", st)
	}
	s.Close()
}

// A queue that is added after a class was removed does not know the class.
func TestRemoveThenAddQueue(t *testing.T) {
	s, c := oneAtATime()
	c.Remove()
	s.NewQueue(1)
	ticket, res := s.queues[1].Take(t.Context(), c, nil, 1, fair.Read)
	if res != 0 {
		t.Fatalf("Take = %d; want 0", res)
	}
	ticket.End(1)
	admitted := s.queues[1].NewTicket(nil, nil, fair.OutsideCap)
	if !admitted.Request(c, 0) {
		t.Error("an operation outside the cap waits")
	}
	admitted.End(0)
	if st, d := c.Stats(), s.Default().Stats(); st.Requests != 0 || d.Requests != 2 {
		t.Errorf("%d requests of the removed class, %d of the default one; want 0 and 2", st.Requests, d.Requests)
	}
	if n := len(s.all); n != 1 {
		t.Errorf("%d classes; want the default one", n)
	}
	s.Close()
}

// The operations of a class still count when the queue of its device is forgotten, and the number
// of queues falls.
func TestForget(t *testing.T) {
	s, c := oneAtATime()
	q := s.NewQueue(7)
	ticket, _ := q.Take(t.Context(), c, nil, 1, fair.Read)
	ticket.End(1)
	s.Forget(q)
	if n, st := len(s.list()), c.Stats(); n != 1 || st.Requests != 1 || st.Bytes != 1 {
		t.Errorf("%d queues, and the class has %d requests of %d bytes; want 1, 1, 1", n, st.Requests, st.Bytes)
	}
	next := s.NewQueue(7)
	other, _ := next.Take(t.Context(), c, nil, 1, fair.Read)
	if other == nil {
		t.Fatal("the device's next queue grants nothing")
	}
	c.Remove()
	other.End(1)
	s.Forget(next)
	if st := c.Stats(); st.Requests != 2 {
		t.Errorf("the class, which was removed, has %d requests; want 2", st.Requests)
	}
}

// Removed classes without references leave nothing behind.
func TestRemovedClassesAreForgotten(t *testing.T) {
	hang.Watch(t)
	s, _ := oneAtATime()
	var gone atomic.Int32
	for range 100 {
		c := s.New("short", fair.Settings{Weight: 1})
		runtime.AddCleanup(c, func(int) { gone.Add(1) }, 0)
		c.Remove()
	}
	hang.Eventually(func() bool { runtime.GC(); return gone.Load() >= 50 })
	runtime.KeepAlive(s)
}
