package cache

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
)

// A read that begins and ends inside blocks makes one request for all adjacent uncached blocks, and
// caches them.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		what     string
		there    []int64 // blocks that are cached before
		off      int64
		n        int
		requests int
	}{
		{"two parts", nil, block - 1, 2, 1},
		{"a part, wholes, a part", nil, 3*block + 100, 5*block + 50, 1},
		{"wholes and a part", nil, 3 * block, 5*block + 50, 1},
		{"a part and wholes", nil, 4*block - 1, 3*block + 1, 1},
		{"one part", nil, 3*block + 5, 100, 1},
		{"the first is there", []int64{3}, 3*block + 100, 5 * block, 1},
		{"the last is there", []int64{8}, 3*block + 100, 5 * block, 1},
		{"one in the middle is there", []int64{5}, 3*block + 100, 5 * block, 2},
		{"two in the middle are there", []int64{5, 7}, 3*block + 100, 6 * block, 3},
		{"all in the middle are there", []int64{4, 5, 6, 7}, 3*block + 100, 5 * block, 2},
		{"all are there", []int64{3, 4, 5}, 3*block + 100, 2 * block, 0},
		{"over the end of the file", nil, 38*block + 9, 5 * block, 1},
		{"to the end of the file", nil, 38*block + 9, 2*block + 100 - 9, 1},
		{"more than a run", nil, 100, 33 * block, 3}, // each takes an eighth of the cache
	} {
		t.Run(c.what, func(t *testing.T) {
			cache, f, d := newTest(t, 128, 40*block+100)
			for _, b := range c.there {
				wantRead(t, f, d, b*block, block)
			}
			before, misses := d.count(), cache.Stats().Misses
			wantRead(t, f, d, c.off, c.n)
			if got := d.count() - before; got != c.requests {
				t.Errorf("%d requests; want %d", got, c.requests)
			}
			misses = cache.Stats().Misses - misses
			first, last := c.off/block, (c.off+int64(c.n)-1)/block
			if want := last - first + 1 - int64(len(c.there)); misses != want {
				t.Errorf("%d blocks were asked of the disk; want %d", misses, want)
			}
			before = d.count()
			for b := first; b <= min(40, last); b++ {
				wantRead(t, f, d, b*block, min(block, 40*block+100-int(b)*block))
			}
			if got := d.count() - before; got != 0 {
				t.Errorf("%d requests for what has been read", got)
			}
			if n := cache.staging.Stats().InUse; n != 0 {
				t.Errorf("%d bytes are still staged", n)
			}
		})
	}
}

// Without memory for staging the read returns the same bytes, and does not wait.
func TestEdgesUnstaged(t *testing.T) {
	c, f, d := newTest(t, 128, 40*block)
	for {
		b, ok := c.staging.TryGet(maxRun)
		if !ok {
			break
		}
		defer b.Release()
	}
	wantRead(t, f, d, 100, 5*block)
	if d.count() != 3 {
		t.Errorf("%d requests; want one for each end, and one for the blocks between", d.count())
	}
	wantRead(t, f, d, 10*block, 5*block+100)
	if d.count() != 5 {
		t.Errorf("%d more requests; want the whole blocks, and the last one", d.count()-3)
	}
}

// While all frames are in use, a read that ends inside blocks makes one request.
func TestEdgesPinned(t *testing.T) {
	c, f, d := newTest(t, 1, 20*block)
	v, err := f.View(t.Context(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Release()
	before := d.count()
	wantRead(t, f, d, 10*block+7, 5*block)
	if got := d.count() - before; got != 1 || c.Stats().Bytes != block {
		t.Errorf("%d requests, %+v; want one, and the pinned block alone", got, c.Stats())
	}
}

// A goroutine that wants a block of another goroutine's run waits for that run. If the run fails,
// it gets the error of its block, or reads that block itself where the run did not reach it.
func TestEdgesShared(t *testing.T) {
	for _, fail := range []error{nil, syscall.EIO} {
		c, f, d := newTest(t, 128, 40*block)
		g := hold(d, false)
		errs := make(chan error)
		read := func(off int64, n int) {
			b := make([]byte, n)
			_, err := f.ReadAt(b, off)
			if err == nil && !bytes.Equal(b, d.data[off:][:n]) {
				err = errors.New("the bytes are others")
			}
			errs <- err
		}
		go read(3*block+100, 5*block)
		<-g.arrived
		const others = 12
		for i := range int64(others) {
			go read((3+i%6)*block+7, 100) // each block of the run, and the blocks at its ends
		}
		waitShared(t, c, others)
		d.release() // before a read that fails: others then read by themselves
		g.open <- fail
		failed := 0
		for range 1 + others {
			switch err := <-errs; {
			case fail != nil && errors.Is(err, fail):
				failed++
			case err != nil:
				t.Errorf("a read = %v", err)
			}
		}
		if fail != nil {
			if failed != 1+others/6 {
				t.Errorf("%d reads failed; want the first one, and those of its first block", failed)
			}
		} else if st := c.Stats(); st.Misses != 6 || st.Shared != others || d.count() != 1 {
			t.Errorf("%+v, %d requests; want 6 blocks in one", st, d.count())
		}
		wantRead(t, f, d, 3*block+100, 5*block)
		if c.Stats().Pinned != 0 {
			t.Errorf("%+v; want nothing pinned", c.Stats())
		}
	}
}

// halfDisk fails reads of one bad sector.
type halfDisk struct {
	*disk
	bad int64 // offset of the first bad byte
}

func (d *halfDisk) ReadAtContext(ctx context.Context, b []byte, off int64) (int, error) {
	good := max(0, min(int64(len(b)), d.bad-off))
	n, err := d.disk.ReadAtContext(ctx, b[:good], off)
	if err == nil && good < int64(len(b)) {
		err = syscall.EIO
	}
	return n, err
}

// badByte has one bad byte, at bad: reads over it end there.
type badByte struct {
	*disk
	bad int64
}

func (d *badByte) ReadAtContext(ctx context.Context, b []byte, off int64) (int, error) {
	if off > d.bad || off+int64(len(b)) <= d.bad {
		return d.disk.ReadAtContext(ctx, b, off)
	}
	h := halfDisk{d.disk, d.bad}
	return h.ReadAtContext(ctx, b, off)
}

// A goroutine that waits for a good block of another goroutine's run does not get the error of a
// bad block before it.
func TestEdgesWaiterBehindBadBlock(t *testing.T) {
	_, _, plain := newTest(t, 1, 20*block)
	c, _, _ := newTest(t, 128, 0)
	f := c.File(&badByte{plain, 5*block + 50})
	g := hold(plain, false)
	first := make(chan error, 1)
	go func() {
		_, err := f.ReadAt(make([]byte, 5*block), 3*block)
		first <- err
	}()
	<-g.arrived
	b, res := make([]byte, 100), make(chan error, 1)
	go func() {
		_, err := f.ReadAt(b, 7*block)
		res <- err
	}()
	waitShared(t, c, 1)
	plain.release()
	g.open <- nil
	if err := <-first; !errors.Is(err, syscall.EIO) {
		t.Errorf("ReadAt over the bad block = %v; want EIO", err)
	}
	if err := <-res; err != nil || !bytes.Equal(b, plain.data[7*block:][:100]) {
		t.Errorf("ReadAt of a good block = %v; want its bytes", err)
	}
}

// A read over a bad block returns the bytes before it, and caches them. A read without bad bytes
// does not fail.
func TestEdgesOverBadBlock(t *testing.T) {
	_, _, plain := newTest(t, 1, 20*block)
	c, _, _ := newTest(t, 128, 0)
	f := c.File(&halfDisk{plain, 5*block + 50})
	b := make([]byte, 8*block)
	n, err := f.ReadAt(b[:4*block], 3*block+100)
	if n != 2*block-50 || !errors.Is(err, syscall.EIO) || !bytes.Equal(b[:n], plain.data[3*block+100:][:n]) {
		t.Errorf("ReadAt = %d, %v; want %d, EIO", n, err, 2*block-50)
	}
	if st := c.Stats(); st.Bytes != 2*block {
		t.Errorf("%+v; want the two good blocks", st)
	}
	if n, err := f.ReadAt(b[:2*block], 3*block+100); n != 2*block-50 || !errors.Is(err, syscall.EIO) {
		t.Errorf("again: ReadAt = %d, %v; want %d, EIO", n, err, 2*block-50)
	}
	for range 2 { // first the last block is not cached, then none is
		if n, err := f.ReadAt(b[:2*block-50], 3*block+100); n != 2*block-50 || err != nil {
			t.Errorf("ReadAt of good bytes = %d, %v; want %d", n, err, 2*block-50)
		}
		f.Invalidate(0, 20*block)
	}
}

// Many goroutines read at random offsets, while only a few reads get memory for staging.
func TestEdgesStress(t *testing.T) {
	c, f, d := newSharded(t, 40, 100*block+77, 4)
	var held []interface{ Release() }
	for {
		b, ok := c.staging.TryGet(maxRun)
		if !ok {
			break
		}
		held = append(held, b)
	}
	held[0].Release()
	var wg sync.WaitGroup
	for g := range int64(8) {
		wg.Go(func() {
			x := uint64(g + 1)
			for range 1000 {
				x = x*0x5851f42d4c957f2d + 1
				wantRead(t, f, d, int64(x>>33)%(102*block), 1+int((x>>20)%(6*block)))
			}
		})
	}
	wg.Wait()
	for _, b := range held[1:] {
		b.Release()
	}
	if st := c.Stats(); st.Bytes > 40*block || st.Pinned != 0 {
		t.Errorf("%+v; want at most 40 blocks, none pinned", st)
	}
}
