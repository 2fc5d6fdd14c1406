package mapped

import (
	"math/bits"
	"sync/atomic"
)

// pagesInWord is the number of pages that one word of a residency is about.
const pagesInWord = 32

// residency remembers which pages were in memory when somebody looked, in generations: forget ends
// a generation, and with it what was remembered. The methods may be called at the same time.
type residency struct {
	// words has a word for each 32 pages:
	//
	//	bits 0–31   a page each; set if the page was resident
	//	bits 32–63  the generation in which they were set
	//
	// So what is known of the pages and its age are read at once. That is 2 bits a page.
	words []atomic.Uint64
	// generation is the present one: 1 and more, or closed. It comes round after 2^32
	// generations. A word that was last written exactly then ago would count as new. Its pages
	// would be touched without being resident, which costs time and nothing else.
	generation atomic.Uint32
}

// closed is a generation that no word has: nothing is known from then on.
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

// add notes that the page was resident in generation g. If g has ended, nothing is noted.
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

// before returns how many pages of a word were resident when it was last written, in whichever
// generation that was.
func (r *residency) before(word int64) int { return bits.OnesCount32(uint32(r.words[word].Load())) }

// refresh replaces what is known of the pages of a word, of which now has a bit for each that was
// resident in generation g. It returns how many of those that had been resident were not any more.
func (r *residency) refresh(word int64, now, g uint32) (lost int) {
	if g == closed {
		return 0
	}
	old := r.words[word].Swap(uint64(g)<<32 | uint64(now))
	return bits.OnesCount32(uint32(old) &^ now)
}

// forget begins a generation, in which nothing is known.
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

// close has nothing known from now on.
func (r *residency) close() { r.generation.Store(closed) }
