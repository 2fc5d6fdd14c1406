package made

import "github.com/sluiceio/sluice/copytree/internal/at"

// idSet is a set of files that takes at most 16 bytes for each. It is a hash table of words with
// linear probing, at most three quarters full. A word is the inode number mixed with the device
// number, so that two files of one device always have different words. 0 is an empty slot.
type idSet struct {
	words []uint64
	len   int
}

func word(id at.ID) uint64 { return max(1, id.Ino^id.Dev*0x9e3779b97f4a7c15) }

// slot returns the index of w, or the index for adding it.
func (s *idSet) slot(w uint64) int {
	i := int(w*0x9e3779b97f4a7c15>>32) & (len(s.words) - 1)
	for s.words[i] != 0 && s.words[i] != w {
		i = (i + 1) & (len(s.words) - 1)
	}
	return i
}

func (s *idSet) has(id at.ID) bool {
	return s.len > 0 && s.words[s.slot(word(id))] != 0
}

func (s *idSet) add(id at.ID) {
	if s.has(id) {
		return
	}
	if 4*(s.len+1) > 3*len(s.words) {
		s.grow()
	}
	s.words[s.slot(word(id))] = word(id)
	s.len++
}

func (s *idSet) grow() {
	old := s.words
	s.words = make([]uint64, max(64, 2*len(old)))
	for _, w := range old {
		if w != 0 {
			s.words[s.slot(w)] = w
		}
	}
}
