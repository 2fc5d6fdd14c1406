package fault_test

import (
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
)

func TestFull(t *testing.T) {
	count := fault.NewCounter(1, fault.Verdict{Full: true})
	d := onPool(t, 8, count.Decide)
	ops := []*driver.Op{{}, {}, {}}
	if n, err := d.Submit(ops); n != 1 || err != nil {
		t.Fatalf("Submit = %d, %v; want 1, nil", n, err)
	}
	submit(t, d, ops[1:]...)
	for range ops {
		reap(t, d)
	}
	d = onPool(t, 8, func(*driver.Op) fault.Verdict { return fault.Verdict{Full: true} })
	submit(t, d, ops[0]) // nothing is in flight
	if n, err := d.Submit(ops[1:]); n != 0 || err != nil {
		t.Fatalf("Submit = %d, %v; want 0, nil", n, err)
	}
}

// slim takes one operation at a time, as a driver may.
type slim struct{ driver.Driver }

func (s slim) Submit(ops []*driver.Op) (int, error) { return s.Driver.Submit(ops[:min(1, len(ops))]) }

// TestDecidedOnce submits more than the inner driver takes, many times.
func TestDecidedOnce(t *testing.T) {
	count := fault.NewCounter(5, fault.Verdict{Errno: syscall.EIO})
	d := fault.New(slim{onPool(t, 8, fault.None)}, count.Decide)
	ops := make([]*driver.Op, 10)
	for i := range ops {
		ops[i] = &driver.Op{Code: driver.Fsync, FD: -1}
	}
	for rest := ops; len(rest) > 0; {
		n, err := d.Submit(rest)
		if n != 1 || err != nil {
			t.Fatalf("Submit = %d, %v; want 1, nil", n, err)
		}
		if rest = rest[n:]; len(rest) > 0 && rest[0].Code != driver.Fsync {
			t.Fatalf("an operation that was not taken is now %+v", rest[0])
		}
		reap(t, d)
	}
	for i, op := range ops {
		want := -int32(syscall.EBADF)
		if i == 5 {
			want = -int32(syscall.EIO)
		}
		if op.Res != want {
			t.Errorf("operation %d = %d; want %d", i, op.Res, want)
		}
	}
	if count.Seen() != 10 {
		t.Errorf("decided %d times; want 10", count.Seen())
	}
}

// TestRoom checks that operations that are held back take up room.
func TestRoom(t *testing.T) {
	var gate fault.Gate
	d := onPool(t, 2, fault.NewCounter(0, fault.Verdict{Gate: &gate}).Decide)
	ops := []*driver.Op{{}, {}, {}, {}}
	submit(t, d, ops[:2]...)
	reap(t, d)
	if n, err := d.Submit(ops[2:]); n != 1 || err != nil {
		t.Errorf("Submit = %d, %v with one of two held; want 1, nil", n, err)
	}
	gate.Open()
	reap(t, d)
	reap(t, d)
}

func TestLate(t *testing.T) {
	count := fault.NewCounter(0, fault.Verdict{Late: 2})
	d := onPool(t, 8, count.Decide)
	ops := []*driver.Op{{}, {}, {}, {}}
	submit(t, d, ops...)
	for i, want := range []int{1, 2, 0, 3} {
		if got := reap(t, d); got != ops[want] {
			t.Errorf("operation %d to come back is not number %d", i, want)
		}
	}
	d = onPool(t, 8, fault.NewCounter(0, fault.Verdict{Late: 100}).Decide)
	submit(t, d, ops[0])
	reap(t, d) // nothing else is in flight
}

func TestGate(t *testing.T) {
	var gate fault.Gate
	d := onPool(t, 8, fault.NewCounter(0, fault.Verdict{Gate: &gate}).Decide)
	ops := []*driver.Op{{}, {}, {}}
	submit(t, d, ops...)
	for range 2 {
		if reap(t, d) == ops[0] {
			t.Fatal("an operation passed a closed gate")
		}
	}
	if !gate.Waiting() {
		t.Error("Waiting = false; want true")
	}
	d.Wake()
	if n, err := d.Reap(ops[1:], 1); n != 0 || err != nil {
		t.Fatalf("Reap = %d, %v with the gate closed and a Wake; want 0, nil", n, err)
	}
	opened := make(chan struct{})
	go func() { defer close(opened); gate.Open() }()
	if reap(t, d) != ops[0] {
		t.Error("another operation than the one at the gate")
	}
	<-opened
}

// TestClose closes a driver while operations wait at a gate, and other operations are to fail.
func TestClose(t *testing.T) {
	var gate fault.Gate
	f := file(t, "abc")
	verdicts := []fault.Verdict{{Gate: &gate}, {Errno: syscall.EIO}, {Short: 1}}
	d := onPool(t, 8, func(op *driver.Op) fault.Verdict { return verdicts[op.Off] })
	ops := []*driver.Op{read(f, 0, 3), read(f, 1, 1), read(f, 2, 1)}
	submit(t, d, ops...)
	d.Reap(nil, 0)
	if err := d.Close(); err != nil {
		t.Errorf("Close = %v; want nil", err)
	}
	for i, want := range []int32{3, -int32(syscall.EIO), 1} {
		if op := ops[i]; op.Res != want || op.Code != driver.Read || len(op.Buf) == 0 {
			t.Errorf("operation %d after Close: %+v; want Res %d, and the rest as it was", i, op, want)
		}
	}
	gate.Open()
}
