package fsx

import (
	"fmt"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

// history has the last operations of a round.
type history struct {
	mu     sync.Mutex
	n      uint64 // operations that have begun
	events [keep]*event
}

const keep = 8192

// event is an operation. Only its goroutine sets its result.
type event struct {
	h       *history
	id      uint64
	g, slot int
	what    string
	off, n  int64
	ended   uint64 // operations begun before it ended, 0 while it runs; guarded by h.mu
	got     int
	err     error
}

func (h *history) begin(g, slot int, what string, off, n int64) *event {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	e := &event{h: h, id: h.n, g: g, slot: slot, what: what, off: off, n: n}
	h.events[h.n%keep] = e
	return e
}

func (e *event) end(n int, err error) {
	e.h.mu.Lock()
	defer e.h.mu.Unlock()
	e.ended, e.got, e.err = e.h.n, n, err
}

func (e *event) String() string {
	return fmt.Sprintf("operation %d of goroutine %d: %s of %d bytes at %d by handle %d", e.id, e.g, e.what, e.n, e.off, e.slot)
}

// list returns the last most matching operations, oldest first.
func (h *history) list(most int, match func(e *event) bool) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	for id := h.n; id > 0 && id+keep > h.n && len(lines) < most; id-- {
		e := h.events[id%keep]
		if !match(e) {
			continue
		}
		state := "runs"
		if e.ended > 0 {
			state = fmt.Sprintf("ended before operation %d", e.ended+1)
		}
		if e.err != nil {
			state += fmt.Sprintf(" with %d, %v", e.got, e.err)
		}
		lines = append([]string{fmt.Sprintf("  %s, %s\n", e, state)}, lines...)
	}
	return strings.Join(lines, "")
}

// last returns the last n operations.
func (h *history) last(n int) string { return h.list(n, func(*event) bool { return true }) }

// on returns the last operations on a byte. Operations without a range are on all bytes.
func (h *history) on(at int64) string {
	return h.list(40, func(e *event) bool { return e.n == 0 || e.off <= at && at < e.off+e.n })
}

// origin returns the write that wrote the bytes at at. b was read at off.
func (h *history) origin(b []byte, off, at int64) string {
	got := b[at-off:]
	got = got[:min(len(got), 8)]
	want := make([]byte, len(got))
	found := "the bytes are of no write that is remembered\n"
	if strings.Trim(string(got), "\x00") == "" {
		return "the bytes are zeros\n"
	}
	h.list(1, func(e *event) bool {
		if e.what != "write" && e.what != "append" {
			return false
		}
		testenv.Fill(want, at, e.id)
		// The write may end within these bytes.
		n := min(int64(len(got)), e.off+e.n-at)
		if e.off > at || n <= 0 || string(got[:n]) != string(want[:n]) {
			return false
		}
		found = fmt.Sprintf("the bytes are those of %s\n", e)
		return true
	})
	return found
}
