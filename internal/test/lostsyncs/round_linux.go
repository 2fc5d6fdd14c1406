package lostsyncs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// round is one file, its open handles, and the goroutines' use of it.
type round struct {
	t    *testing.T
	disk *testenv.Lossy
	s    *sluice.Scheduler
	name string
	size int64 // the end of the goroutines' writes
	// grows says that the file is empty at first.
	grows bool

	handles    []*handle
	goroutines []*goroutine

	clock atomic.Int64 // counts the beginnings and ends of calls
	// The disk begins to lose writes at event number from, and stops at number to. An event is a
	// call.
	events, from, to atomic.Int64

	mu     sync.Mutex
	blocks []*block // all written blocks
	calls  []*call
}

// block is a part of the file that was written at once. The disk takes all of it, or nothing.
type block struct {
	number         uint64
	name           string // the file's name
	off            int64
	data           []byte
	from           *handle
	began, written int64 // by clock; written is 0 until the write has returned nil
	// replaced is set when another block is written to the same place. That block has replaces set.
	replaced, replaces bool
}

// call is a call that commits written blocks.
type call struct {
	goroutine    int
	h            *handle
	way          string
	began, ended int64
	err          error
	answers      []*block // the blocks for which the call answers
	lost         []*block // blocks of answers that the disk lacked when the call returned nil
}

// goroutine is one goroutine of a round.
type goroutine struct {
	id    int
	h     *handle
	rand  *rand.Rand
	start int64 // of its part of the file
	steps int
	pages int // pages that are written at once
	apart int64
	bulk  bool

	pieces [][]*block // its written pieces, by place
}

const page = testenv.PageSize

func newRound(t *testing.T, l *testenv.Lossy, driver string, r *rand.Rand) *round {
	o := &round{t: t, disk: l}
	options := sluice.Options{Driver: driver, Depth: []int{0, 0, 2, 8}[r.IntN(4)], Threads: []int{0, 0, 1, 2}[r.IntN(4)]}
	// Without the governor an fsync is a plain call only if the driver has no other way.
	govern := r.IntN(3) > 0
	o.s = testenv.SchedulerWith(t, sched.Options{Govern: govern}, options)
	h := inside.Scheduler(o.s)
	if err := h.Acquire(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Release)
	bulk := r.IntN(6) == 0
	n := 2 + r.IntN([]int{2, 7, 31}[r.IntN(3)])
	if bulk {
		n = 2 + r.IntN(2)
	}
	pages := 1 + r.IntN(2)
	steps := 1 + r.IntN(4)
	if bulk {
		pages, steps = 64+r.IntN(65), 8
	}
	apart := int64(pages+r.IntN(4)) * page
	o.size = int64(n*steps) * apart
	size := o.size + page // one page is for the file that is opened again
	if r.IntN(3) == 0 {
		size, o.grows = 0, true
	}
	o.name = l.File(t, int(size))
	t.Cleanup(func() { os.Remove(o.name) })
	o.open(bulk, n, r)
	for i := range n {
		g := &goroutine{
			id: i, h: o.handles[r.IntN(len(o.handles))], rand: rand.New(rand.NewPCG(r.Uint64(), uint64(i))),
			start: int64(i*steps) * apart, steps: steps, pages: pages, apart: apart, bulk: bulk,
		}
		if bulk {
			g.h = o.handles[0]
		}
		// The third goroutine may get the report of a loss before the other two open their second
		// descriptor.
		if bulk && i == 2 {
			g.h, g.pages, g.bulk = o.handles[1], 1, false
		}
		o.goroutines = append(o.goroutines, g)
	}
	most := int64(2 * n * steps)
	if bulk || r.IntN(2) == 0 {
		o.from.Store(1 + r.Int64N(most))
	}
	o.to.Store(-1)
	if r.IntN(4) == 0 {
		o.to.Store(o.from.Load() + 1 + r.Int64N(most))
	}
	return o
}

// open opens the file up to three times, for n goroutines. In bulk, two goroutines have the first
// handle, a File if possible, and the third has another handle.
func (o *round) open(bulk bool, n int, r *rand.Rand) {
	kinds := strings.Split(*kindsOf, ",")
	most := 1 + r.IntN(3)
	if bulk {
		most = n - 1
	}
	for i := range most {
		kind := kinds[r.IntN(len(kinds))]
		flag := []int{0, 0, unix.O_SYNC, unix.O_DSYNC}[r.IntN(4)]
		if bulk && i == 0 {
			flag = 0
			if slices.Contains(kinds, "file") {
				kind = "file"
			}
		}
		h := opens[kind](o.t, o.s, o.name, flag, r)
		h.kind, h.each = kind, flag != 0
		o.handles = append(o.handles, h)
		o.t.Cleanup(func() { _ = h.close() })
	}
}

// run has all goroutines write and commit at once, and perhaps one more copy a tree. Then it
// commits by each handle, and again by each handle that failed.
func (o *round) run(ways []TreeCopy) {
	defer o.disk.Losing(false)
	o.disk.Losing(o.from.Load() == 0)
	var all sync.WaitGroup
	if g := o.goroutines[0]; g.rand.IntN(4) == 0 && len(ways) > 0 {
		tree := o.newTree(g.rand, ways)
		all.Go(tree.copy)
	}
	for _, g := range o.goroutines {
		all.Go(func() { o.work(g) })
	}
	all.Wait()
	for _, h := range o.handles {
		for _, w := range h.ways {
			if w.commit != nil {
				o.commit(-1, h, w, nil)
			}
		}
		if err := o.failedBy(h, o.clock.Load()); h.start != nil && err != nil && h.start() == nil {
			o.t.Errorf("SyncRange returned nil after %v", err)
		}
	}
	o.disk.Losing(false)
	o.again()
}

// event makes the disk begin or stop to lose writes, if that is due.
func (o *round) event() {
	switch n := o.events.Add(1); n {
	case o.from.Load():
		o.disk.Losing(true)
	case o.to.Load():
		o.disk.Losing(false)
	}
}

func (o *round) work(g *goroutine) {
	for range g.steps {
		for range 1 + g.rand.IntN(2) {
			if w := g.h.writes; len(w) > 0 && len(g.pieces) < g.steps {
				o.write(g, w[g.rand.IntN(len(w))])
			}
		}
		w := g.h.ways[g.rand.IntN(len(g.h.ways))]
		if g.bulk {
			w = g.h.ways[g.rand.IntN(min(2, len(g.h.ways)))] // Sync or Datasync
		}
		o.commit(g.id, g.h, w, g)
	}
}

// piece makes the bytes of g's next write, and their blocks.
func (o *round) piece(g *goroutine) (b []byte, off int64, blocks []*block) {
	slot, skip := len(g.pieces), 0
	again := slot > 0 && (slot == g.steps || g.rand.IntN(4) == 0)
	if again {
		slot = g.rand.IntN(slot)
	}
	off = g.start + int64(slot)*g.apart
	b = make([]byte, g.pages*page)
	if g.pages == 1 && !again && g.rand.IntN(4) == 0 {
		skip = 100 // a part of a block of the disk
	}
	lost := []int{1, 2, 10}[g.rand.IntN(3)]
	if g.bulk {
		lost = 4 * g.pages // small enough for many Syncs to succeed
	}
	for i := range g.pages {
		part := b[i*page+skip : (i+1)*page]
		mark := testenv.KeptMark
		if g.rand.IntN(lost) == 0 {
			mark = testenv.LostMark
		}
		blocks = append(blocks, &block{
			number: o.disk.Block(part, mark), name: o.name, off: off + int64(i*page+skip), data: part, from: g.h, began: o.clock.Add(1),
			replaces: again,
		})
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if again {
		for _, old := range g.pieces[slot] {
			old.replaced = true
		}
		g.pieces[slot] = blocks
	} else {
		g.pieces = append(g.pieces, blocks)
	}
	o.blocks = append(o.blocks, blocks...)
	return b[skip:], off + int64(skip), blocks
}

func (o *round) write(g *goroutine, w write) {
	b, off, blocks := o.piece(g)
	o.event()
	c := &call{goroutine: g.id, h: g.h, way: w.name, began: o.clock.Add(1)}
	c.err = w.do(b, off)
	if !g.h.each {
		o.wrote(blocks, c.err)
		return
	}
	c.answers = blocks
	o.returned(c)
	o.wrote(blocks, c.err)
}

// wrote records that blocks are written, if err is nil.
func (o *round) wrote(blocks []*block, err error) {
	o.wantLoss("a write", err)
	if err != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range blocks {
		b.written = o.clock.Add(1)
	}
}

// commit calls w. If w writes, it writes a piece of g.
func (o *round) commit(id int, h *handle, w way, g *goroutine) {
	c := &call{goroutine: id, h: h, way: w.name}
	var p []byte
	var off int64
	var own []*block
	if w.both != nil {
		p, off, own = o.piece(g)
	}
	o.event()
	c.began = o.clock.Add(1)
	if !h.own {
		c.answers = o.writtenBefore(h)
	}
	c.answers = append(c.answers, own...)
	if w.both != nil {
		c.err = w.both(p, off)
	} else {
		c.err = w.commit()
	}
	o.returned(c)
	if own != nil {
		o.wrote(own, c.err)
	}
	o.wantLoss(w.name, c.err)
}

// writtenBefore returns the blocks that an fsync of h commits if it begins now. With O_SYNC it
// leaves out other descriptions' writes: a write of h may have got the report of their loss.
func (o *round) writtenBefore(h *handle) (blocks []*block) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.blocks {
		if b.written > 0 && !b.replaced && (!h.each || b.from == h) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// returned records a call that has returned, and asks the disk for the call's blocks.
func (o *round) returned(c *call) {
	if c.err == nil {
		for _, b := range c.answers {
			if !o.disk.OnDisk(b.number) {
				c.lost = append(c.lost, b)
			}
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c.ended = o.clock.Add(1)
	// A block that was replaced before may never have reached the disk.
	c.lost = slices.DeleteFunc(c.lost, func(b *block) bool { return b.replaced })
	o.calls = append(o.calls, c)
}

// wantLoss requires that the disk or the call's context is the cause of an error.
func (o *round) wantLoss(what string, err error) {
	if err != nil && !errors.Is(err, unix.EIO) && !errors.Is(err, context.Canceled) && !errors.Is(err, batch.ErrChainBroken) {
		o.t.Errorf("%s: %v; want EIO", what, err)
	}
}

// again opens the file anew, as a File and as a direct.File. Blocks written then must be safe once
// Sync returns nil. The first Sync may still get an old report.
func (o *round) again() {
	for _, kind := range []string{"file", "direct"} {
		for try := 0; ; try++ {
			h := opens[kind](o.t, o.s, o.name, 0, rand.New(rand.NewPCG(0, 0)))
			b := &block{name: o.name, off: o.size, data: make([]byte, page), from: h}
			b.number = o.disk.Block(b.data, testenv.KeptMark)
			err := h.writes[0].do(b.data, b.off)
			if err == nil {
				err = h.ways[0].commit()
			}
			_ = h.close()
			switch {
			case err == nil && !o.disk.OnDisk(b.number):
				o.t.Errorf("%s, opened again: Sync returned nil for a block that is lost", kind)
			case err != nil && try < 2:
				continue
			case err != nil && !strings.Contains(o.t.Name(), "btrfs"):
				// btrfs can refuse the file for ever.
				o.t.Errorf("%s, opened again: %v; want nil", kind, err)
			}
			break
		}
	}
}

// failedBy returns the error of a Sync of h that lost data and ended before time.
func (o *round) failedBy(h *handle, time int64) error {
	for _, c := range o.calls {
		if c.h == h && c.ended < time && commits(c) && errors.Is(c.err, unix.EIO) {
			return c.err
		}
	}
	return nil
}

func (c *call) String() string {
	return fmt.Sprintf("goroutine %d: %s: %s, %d to %d", c.goroutine, c.h, c.way, c.began, c.ended)
}

func (h *handle) String() string {
	if h.each {
		return fmt.Sprintf("%s %p with O_SYNC", h.kind, h)
	}
	return fmt.Sprintf("%s %p", h.kind, h)
}

func (b *block) String() string {
	return fmt.Sprintf("block %d at %d (%.18s) of %v, %d to %d", b.number, b.off, b.data, b.from, b.began, b.written)
}

// String lists the calls.
func (o *round) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s; the disk loses from event %d to %d of %d", o.name, o.from.Load(), o.to.Load(), o.events.Load())
	for _, c := range o.calls {
		fmt.Fprintf(&s, "\n%v: %v", c, c.err)
	}
	return s.String()
}
