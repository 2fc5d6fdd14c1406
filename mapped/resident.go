package mapped

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sys"
)

// The bounds of a generation. The kernel reclaims pages in use last, so it hardly takes a page that
// was used within a second. Without signs of reclaim a generation lasts that long.
const (
	firstPeriod = 50 * time.Millisecond
	leastPeriod = 5 * time.Millisecond
	mostPeriod  = time.Second
)

// askFrom is how many pages of a word must have been resident before the kernel is asked about all
// of them (mincore(2)). The answer takes about as long as a read of one byte, which shows only
// whether its own page is resident.
const askFrom = 4

// oneByte holds memory for reads that bring a page into memory.
var oneByte = sync.Pool{New: func() any { return new([1]byte) }}

// makeResident brings the pages of the n bytes at off into memory. The caller has m in use.
func (m *Mapping) makeResident(ctx context.Context, off, n int64) error {
	first, last := m.page(off), m.page(off+n-1)
	g := m.current()
	if err := m.ask(off, n, g); err != nil {
		return err
	}
	if m.missing(first, last) > 1 {
		m.prefetch(first, last)
	}
	for from := first; from <= last; {
		to := min(last, from|(pagesInWord-1))
		if err := m.bring(ctx, from, to, off+n, g); err != nil {
			return err
		}
		from = to + 1
	}
	return nil
}

// bring brings the missing pages of first to last into memory, and notes them in generation g. The
// caller's range ends at end.
func (m *Mapping) bring(ctx context.Context, first, last, end int64, g uint32) error {
	least := int64(-1) // the first missing page
	for page := first; page <= last; page++ {
		if m.resident.has(page) {
			continue
		}
		// Read the last byte that the caller wants of the page. If the file ends before it, it was
		// truncated.
		if err := m.read(ctx, min(end, (page+1)<<m.shift-m.lead)-1); err != nil {
			return err
		}
		if least < 0 {
			least = page
		}
	}
	if least < 0 {
		return nil
	}
	// A read of a hole needs no memory, but a touch does. So the read may succeed, and the touch
	// fail.
	if m.touch(least, last) != nil {
		return m.untouchable(least, last)
	}
	for page := least; page <= last; page++ {
		m.resident.add(page, g)
	}
	return nil
}

// untouchable returns the error for the pages first to last, if the kernel cannot provide one of
// them. The file may have been truncated since it was read.
func (m *Mapping) untouchable(first, last int64) error {
	at := max(0, first<<m.shift-m.lead)
	if _, err := m.end(at, min(m.size(), (last+1)<<m.shift-m.lead)-at); err != nil {
		return err
	}
	return errFault
}

// ask asks the kernel about the pages of the n bytes at off, and remembers the answer in generation
// g. It leaves out words with few pages that were resident before.
func (m *Mapping) ask(off, n int64, g uint32) error {
	if !m.canTell {
		return nil
	}
	first, last := m.page(off), m.page(off+n-1)
	end := int64(-1) // of the file; -1 until it is known
	for word := first / pagesInWord; word <= last/pagesInWord; word++ {
		from, to := max(first, word*pagesInWord), min(last, (word+1)*pagesInWord-1)
		before := m.resident.before(word)
		// One question about several pages costs less than a read for each.
		if m.missing(from, to) == 0 || before < askFrom && to-from < askFrom {
			continue
		}
		if end < 0 {
			var err error
			if end, err = m.end(off, n); err != nil {
				return err
			}
		}
		lost := m.resident.refresh(word, m.inMemory(word, end), g)
		m.asked.Add(int64(before))
		m.lost.Add(int64(lost))
	}
	return nil
}

// end returns the number of bytes from the first page to the end of the file. It returns an error
// if the n bytes at off are not in the file any more. The page cache may have a page past the end
// of a truncated file, as a part of a larger folio. Touching it is a fault.
func (m *Mapping) end(off, n int64) (int64, error) {
	size, err := sizeOf(inside.File(m.file))
	end := size - m.start
	if err == nil && m.lead+off+n > end {
		err = io.ErrUnexpectedEOF
	}
	return end, err
}

// inMemory asks the kernel which pages of a word are resident. It calls a page that is not wholly
// before end missing: the read of a byte shows whether the file has it. If the kernel does not
// answer, all pages are missing.
func (m *Mapping) inMemory(word, end int64) (set uint32) {
	var vec [pagesInWord]byte
	first := word * pagesInWord << m.shift
	pages := m.pages[first:min(int64(len(m.pages)), first+pagesInWord<<m.shift)]
	if sys.Mincore(pages, vec[:]) != nil {
		return 0
	}
	for i, v := range vec {
		if first+int64(i+1)<<m.shift <= end {
			set |= uint32(v&1) << i
		}
	}
	return set
}

// missing returns how many of the pages first to last are not known to be resident.
func (m *Mapping) missing(first, last int64) (n int) {
	for page := first; page <= last; page++ {
		if !m.resident.has(page) {
			n++
		}
	}
	return n
}

// prefetch starts reads of the missing pages of first to last, all at once, and does not wait for
// them. It is a hint: the read of each page returns the errors.
func (m *Mapping) prefetch(first, last int64) {
	for page := first; page <= last; page++ {
		from := page
		for page <= last && !m.resident.has(page) {
			page++
		}
		if page > from && m.file.Prefetch(m.start+from<<m.shift, (page-from)<<m.shift) != nil {
			return
		}
	}
}

// read reads the byte at off of the Mapping through the scheduler, which brings its page into
// memory.
func (m *Mapping) read(ctx context.Context, off int64) error {
	b := oneByte.Get().(*[1]byte)
	_, err := m.file.ReadAtContext(ctx, b[:], m.start+m.lead+off)
	oneByte.Put(b)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// current returns the generation for pages that are found from now on, and makes sure that the
// timer ends it. If the timer ends it earlier, later pages are not remembered. So no page is
// remembered without a timer that ends it.
func (m *Mapping) current() uint32 {
	g := m.resident.generation.Load() // before armed is read: see expire
	if !m.armed.Load() && m.armed.CompareAndSwap(false, true) {
		m.timer.Reset(m.period)
	}
	return g
}

// expire ends a generation; the timer calls it. It clears armed first: a goroutine that finds the
// new generation then finds armed cleared, or the timer running again.
func (m *Mapping) expire() {
	m.period = nextPeriod(m.period, m.asked.Swap(0), m.lost.Swap(0))
	m.armed.Store(false)
	m.resident.forget()
}

// nextPeriod returns how long the next generation lasts. In the last one, which lasted d, the
// kernel was asked about formerly resident pages, and had reclaimed lost of them.
func nextPeriod(d time.Duration, asked, lost int64) time.Duration {
	const many = 64 // one in 64 is many: a wrong Load costs as much as 1000 right ones
	switch {
	case asked == 0:
		return min(d, firstPeriod) // the kernel was not asked
	case lost*many > asked:
		return max(leastPeriod, d/2)
	case lost == 0:
		return min(mostPeriod, d*2)
	}
	return d
}
