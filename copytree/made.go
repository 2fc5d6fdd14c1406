package copytree

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// made is what this copy has made or overwritten: its directories, which must
// not be copied into themselves, and files.
type made struct {
	mu     sync.Mutex
	dirs   idSet          // under mu
	named  map[spot]at.ID // what is at the paths of pairs, if there are several. Under mu
	shared map[at.ID]spot // files of several names that are overwritten, by which. Under mu
}

// spot is a place in the destination.
type spot struct {
	dir  at.ID
	name string
}

// spot is where the copy is.
func (it *item) spot() spot { return spot{it.in.copyID, it.dst.String()} }

// claim reports whether this file of several names is overwritten by no other of
// them: two files that are written into one would be neither.
func (m *made) claim(id at.ID, s spot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if by, ok := m.shared[id]; ok {
		return by == s
	}
	if m.shared == nil {
		m.shared = make(map[at.ID]spot)
	}
	m.shared[id] = s
	return true
}

func (m *made) addDir(id at.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dirs.add(id)
}

func (m *made) hasDir(id at.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dirs.has(id)
}

// note notes the copy that a pair is about, for pairs after it.
func (w *worker) note(it *item) {
	var s at.Stat
	if !w.several || it.batch != nil || w.kernel.Stat(it.in.dst, it.dst, at.NoFollow, &s) != nil {
		return
	}
	w.made.mu.Lock()
	defer w.made.mu.Unlock()
	if w.made.named == nil {
		w.made.named = make(map[spot]at.ID)
	}
	w.made.named[it.spot()] = s.ID
}

// madeBefore reports whether id, which is at the place of the copy that a pair is
// about, is the copy of another pair.
func (w *worker) madeBefore(it *item, id at.ID) bool {
	if !w.several || it.batch != nil {
		return false
	}
	w.made.mu.Lock()
	defer w.made.mu.Unlock()
	by, ok := w.made.named[it.spot()]
	return ok && by == id
}

// idSet is a set of files, in 16 bytes or less for each: a hash table of words
// with linear probing, three quarters full at most. The word is the inode's
// number mixed with that of the device, so that files of one device never have
// the same; 0 is an empty place.
type idSet struct {
	words []uint64
	len   int
}

func word(id at.ID) uint64 { return max(1, id.Ino^id.Dev*0x9e3779b97f4a7c15) }

// place finds where w is, or is to be.
func (s *idSet) place(w uint64) int {
	i := int(w*0x9e3779b97f4a7c15>>32) & (len(s.words) - 1)
	for s.words[i] != 0 && s.words[i] != w {
		i = (i + 1) & (len(s.words) - 1)
	}
	return i
}

func (s *idSet) has(id at.ID) bool {
	return s.len > 0 && s.words[s.place(word(id))] != 0
}

func (s *idSet) add(id at.ID) {
	if s.has(id) {
		return
	}
	if 4*(s.len+1) > 3*len(s.words) {
		s.grow()
	}
	s.words[s.place(word(id))] = word(id)
	s.len++
}

func (s *idSet) grow() {
	old := s.words
	s.words = make([]uint64, max(64, 2*len(old)))
	for _, w := range old {
		if w != 0 {
			s.words[s.place(w)] = w
		}
	}
}
