package copytree

import (
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// made is what this copy has made or overwritten: its directories, which must
// not be copied into themselves, and, where pairs can meet, its files.
type made struct {
	mu          sync.Mutex
	dirs, files idSet // under mu
	shared      idSet // files of several names that are overwritten. Under mu
}

// claim reports whether nobody else overwrites this file of several names: two
// files that are written into one at the same time would be neither.
func (m *made) claim(id at.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared.has(id) {
		return false
	}
	m.shared.add(id)
	return true
}

func (m *made) addDir(id at.ID)      { m.add(&m.dirs, id) }
func (m *made) addFile(id at.ID)     { m.add(&m.files, id) }
func (m *made) hasDir(id at.ID) bool { return m.has(&m.dirs, id) }

func (m *made) hasFile(id at.ID) bool { return m.has(&m.files, id) }

// note notes the copy of it, if another pair could come to it. In a directory
// that was made by this copy everything is.
func (w *worker) note(it *item) error {
	if !w.several || it.in.made {
		return nil
	}
	var s at.Stat
	var err error
	if it.out >= 0 {
		err = w.kernel.Fstat(it.out, &w.raw, &s)
	} else {
		err = w.kernel.Stat(it.in.dst, it.dst, at.NoFollow, &s)
	}
	w.made.addFile(s.ID)
	return wrong("stat", destination, err)
}

func (m *made) add(s *idSet, id at.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.add(id)
}

func (m *made) has(s *idSet, id at.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return s.has(id)
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
