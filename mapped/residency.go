package mapped

import (
	"math/bits"
	"sync/atomic"
)

// pagesInWord is the number of pages in one word of a residency.
const pagesInWord = 32

// residency remembers in generations which pages were resident. forget ends a generation, and with
// it all that was remembered. Any number of goroutines may call the methods at once.
type residency struct {
	// words has a word for each 32 pages:
	//
	//	bits 0–31   a page each; set if the page was resident
	//	bits 32–63  the generation in which they were set
	//
	// One load reads the pages and their age. The cost is 2 bits a page.
	words []atomic.Uint64
	// generation is the present one: 1 and more, or closed. It comes round after 2^32 generations.
	// A word of the same number in the round before would then count as new: its pages would be
	// touched without being resident, which costs only time.
	generation atomic.Uint32
}

// closed is a generation that no word has: no page counts as resident from then on.
const closed = 1<<32 - 1

// init makes room for n pages.
func (r *residency) init(n int64) {
	r.words = make([]atomic.Uint64, (n+pagesInWord-1)/pagesInWord)
	r.generation.Store(1)
}

// has reports whether the page was resident in this generation.
func (r *residency) has(page int64) bool {
	w := r.words[page/pagesInWord].Load()
	return uint32(w>>32) == r.generation.Load() && w>>(page%pagesInWord)&1 != 0
}

// add notes that the page was resident in generation g. If g has ended, add does nothing.
func (r *residency) add(page int64, g uint32) {
	word := &r.words[page/pagesInWord]
	for g != closed && g == r.generation.Load() {
		old := word.Load()
		w := uint64(g)<<32 | 1<<(page%pagesInWord)
		if uint32(old>>32) == g {
			w |= old
		}
		if word.CompareAndSwap(old, w) {
			return
		}
	}
}

// before returns how many pages of a word were resident at its last write, in whichever generation.
func (r *residency) before(word int64) int { return bits.OnesCount32(uint32(r.words[word].Load())) }

// refresh replaces the pages of a word by now, which has a bit for each page that is resident in
// generation g. It returns how many pages were resident before and are not now.
func (r *residency) refresh(word int64, now, g uint32) (lost int) {
	if g == closed {
		return 0
	}
	old := r.words[word].Swap(uint64(g)<<32 | uint64(now))
	return bits.OnesCount32(uint32(old) &^ now)
}

// forget begins a generation, in which no page counts as resident.
func (r *residency) forget() {
	for {
		g := r.generation.Load()
		next := g + 1
		if next == closed {
			next = 1
		}
		if g == closed || r.generation.CompareAndSwap(g, next) {
			return
		}
	}
}

// close ends the last generation.
func (r *residency) close() { r.generation.Store(closed) }
