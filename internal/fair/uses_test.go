package fair

import (
	"fmt"
	"testing"
)

// Hanging requests of one use must hold up no request of the other use, of any class, weight or
// size.
func TestHangingUse(t *testing.T) {
	limits := Cap{Depth: 8, Bytes: 2 * Part, Beside: SmallPart}
	for hanging := Read; hanging <= Write; hanging++ {
		for _, n := range []int{4 << 10, 2 * Part} {
			for only := -1; only < 2; only++ { // the class that hangs, or -1 for both
				t.Run(fmt.Sprint(hanging, "/", n, "/", only), func(t *testing.T) {
					q := &Queue{Cap: limits}
					classes := []*Class{q.Add(0, Settings{Weight: 1}), q.Add(0, Settings{Weight: 100})}
					for i := range 4 * limits.Depth {
						if only < 0 || i%2 == only {
							q.Push(0, &Ticket{Use: hanging}, classes[i%2], n)
						}
					}
					for r, _ := q.Next(0); r != nil; r, _ = q.Next(0) {
						if r.Use != hanging {
							t.Fatalf("a request of use %d began", r.Use)
						}
					}
					for i := range 100 {
						q.Push(0, &Ticket{Use: Write - hanging}, classes[i%2], n)
						r, _ := q.Next(0)
						if r == nil || r.Use == hanging {
							t.Fatal("a request waits behind others of another use")
						}
						q.Done(0, r, int64(n))
					}
					if q.inFlight() > limits.Depth || q.byUse[hanging] != q.inFlight() {
						t.Errorf("%d requests are in flight, %d of them hang", q.inFlight(), q.byUse[hanging])
					}
				})
			}
		}
	}
}

// Only one request begins beyond the cap, and its class keeps to its own limits.
func TestBeyondCap(t *testing.T) {
	q := &Queue{Cap: Cap{Depth: 2, Bytes: 2 * Part, Beside: SmallPart}}
	c := q.Add(0, Settings{Weight: 1, Depth: 3})
	for _, use := range []Use{Write, Write, Read, Read} {
		q.Push(0, &Ticket{Use: use}, c, 4<<10)
	}
	for range 3 {
		if r, _ := q.Next(0); r == nil {
			t.Fatal("a request waits for room; want two writes and one read beyond the cap")
		}
	}
	c.Configure(0, Settings{Weight: 1})
	if r, _ := q.Next(0); r != nil {
		t.Error("a second read began beyond the cap")
	}
	limited := q.Add(0, Settings{Weight: 1, Depth: 1})
	q.Admit(&Ticket{}, limited, 0)
	q.byUse[Read] = 0 // as if the read had ended
	q.Push(0, &Ticket{}, limited, 4<<10)
	if r, _ := q.Next(0); r == nil || r.class == limited {
		t.Error("a request began beyond its class's depth, or none")
	}
}

// A request outside the cap does not wait for room in the cap. This also holds if a request of its
// own class, or of another class, is before it.
func TestOutsideFullCap(t *testing.T) {
	for own := range 2 {
		q := &Queue{Cap: Cap{Depth: 2, Bytes: 2 * Part, Beside: SmallPart}}
		busy, other := q.Add(0, Settings{Weight: 100}), q.Add(0, Settings{Weight: 1, Depth: 1})
		q.Push(0, &Ticket{Use: Read}, other, Part) // its class has had a turn
		for range 4 {
			q.Push(0, &Ticket{Use: Read}, busy, 4<<10)
			q.Push(0, &Ticket{Use: Write}, busy, 4<<10)
		}
		for r, _ := q.Next(0); r != nil; r, _ = q.Next(0) {
			if r.class == other {
				q.Done(0, r, Part)
			}
		}
		c := []*Class{other, busy}[own]
		for range 2 {
			q.Push(0, &Ticket{Use: OutsideCap}, c, 4<<10)
		}
		if r, _ := q.Next(0); r == nil || r.Use != OutsideCap {
			t.Fatalf("class %d: Next = %v; want the request outside the cap", own, r)
		}
		r, _ := q.Next(0)
		if limited := c == other; (r == nil) != limited {
			t.Errorf("class %d: Next = %v; want that the limits of the class hold", own, r)
		}
	}
}
