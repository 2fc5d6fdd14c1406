package drivertest

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// testCloseLeavesNothing compares the process before Open with the process after Close. It opens
// another driver first: the process then gets what it keeps for good, such as the netpoller's
// descriptors.
func testCloseLeavesNothing(r *rig) {
	data := pattern(0, 64*512, 0)
	f := r.create(data)
	use := func(d driver.Driver) {
		two := &rig{TB: r.TB, d: d, suite: r.suite}
		two.all(mixed(f, data, 64))
		two.submit(nops(two.depth())...)
		two.d.Wake()
		two.close()
	}
	use(r.d)
	r.closed = true
	fds, gs := descriptors(r), goroutines()
	for range 3 {
		use(r.suite.Open(r.TB, 64))
	}
	gs.checkGone(r)
	fds.checkSame(r, descriptors(r))
}

// stacks has the goroutines of the process, by the first line of their stack without the
// state: "goroutine 7".
type stacks map[string][]byte

func goroutines() stacks {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	s := stacks{}
	for g := range bytes.SplitSeq(buf, []byte("\n\n")) {
		id, _, _ := bytes.Cut(g, []byte(" ["))
		s[string(id)] = g
	}
	return s
}

// checkGone fails the test if there are goroutines that are not in s. A goroutine that
// has done its work may take a while to disappear, unless it waits for nothing.
func (s stacks) checkGone(t testing.TB) {
	t.Helper()
	var left []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		left = nil
		for id, g := range goroutines() {
			if s[id] == nil {
				left = g
			}
		}
		if left == nil {
			return
		}
		if bytes.Contains(left, []byte(" [select (no cases)")) {
			break
		}
	}
	t.Errorf("goroutine left after Close:\n%s", left)
}
