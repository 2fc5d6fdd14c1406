package record

import (
	"encoding/binary"
	"strings"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/sys"
)

// labels notes the runtime/pprof labels of goroutines. A record has no room for them, and they
// seldom change. So the names get an entry each time that a goroutine's labels differ from those at
// its operation before. All operations that end at or after the entry's time have these labels.
type labels struct {
	// seen is the last note for the goroutines whose numbers have these lowest bits. It keeps the
	// labels in memory, so that no other labels can have their address.
	seen [seenLabels]atomic.Pointer[labelled]

	// Guarded by files.mu:
	last map[uint32]*labelled // by goroutine
	text map[string]uint32    // numbers of labels, from 1
	used int                  // bytes of names that labels have
}

// labelled is a goroutine with its noted labels, or nil for none.
type labelled struct {
	goroutine uint32
	labels    *sys.Labels
	number    uint32 // of the labels' text; 0 for none
}

const (
	seenLabels  = 1 << 10
	maxLabels   = 1 << 20 // texts
	maxLabel    = 256     // bytes; longer texts are cut off
	labelsShare = 4       // labels have at most a quarter of the memory for names

	labelMark = 1 << 14 // in a length: it is a text of labels
	// labelledMark marks a goroutine, the time from which on it has a label, and the number of the
	// text.
	labelledMark = classMark | labelMark
	labelledSize = 4 + 8 + 4
)

// Labelled is an entry of a recording: from the time At on, the operations of the goroutine have
// the label with that number; 0 is none.
type Labelled struct {
	Goroutine uint32
	At        int64
	Label     uint32
}

// noteLabels notes the labels of the calling goroutine, whose operation has ended at the given
// time.
func (r *Recorder) noteLabels(goroutine uint32, ended int64) {
	now := sys.GoroutineLabels()
	s := r.labels.seen[goroutine%seenLabels].Load()
	if s == nil && now == nil || s != nil && s.goroutine == goroutine && s.labels == now {
		return
	}
	r.changeLabels(goroutine, now, ended)
}

// changeLabels notes labels that may differ from before.
func (r *Recorder) changeLabels(goroutine uint32, now *sys.Labels, ended int64) {
	r.files.mu.Lock()
	defer r.files.mu.Unlock()
	l := &r.labels
	before := l.last[goroutine]
	if before == nil && now == nil {
		return
	}
	if before == nil || before.labels != now {
		if r.head.labelsEnd.Load() != 0 {
			return
		}
		last := uint32(0)
		if before != nil {
			last = before.number
		}
		number, ok := r.putLabelled(goroutine, last, now, ended)
		if !ok {
			r.head.labelsEnd.Store(ended)
			return
		}
		before = &labelled{goroutine, now, number}
		l.last[goroutine] = before
	}
	l.seen[goroutine%seenLabels].Store(before)
}

// putLabelled adds an entry to the names, and returns the number of the labels' text. It adds none
// if that is last, the number in the goroutine's last entry: each pprof.Do makes new labels, most
// often of the same text. ok is false if there was no room. files.mu is held.
func (r *Recorder) putLabelled(goroutine, last uint32, now *sys.Labels, ended int64) (number uint32, ok bool) {
	l := &r.labels
	if l.last == nil {
		l.last, l.text = make(map[uint32]*labelled), make(map[string]uint32)
	}
	text, room := textOf(now), len(r.names)/labelsShare
	if number, ok = l.text[text]; !ok && text != "" {
		if l.used += 2 + len(text); l.used > room {
			return 0, false
		}
		if number = r.numberOf(l.text, maxLabels, labelMark, text); number == 0 {
			return 0, false
		}
	}
	if number == last {
		return number, true
	}
	if l.used += 2 + labelledSize; l.used > room {
		return 0, false
	}
	var b [labelledSize]byte
	binary.LittleEndian.PutUint32(b[:], goroutine)
	binary.LittleEndian.PutUint64(b[4:], uint64(ended))
	binary.LittleEndian.PutUint32(b[12:], number)
	return number, r.putName(labelledMark, string(b[:]))
}

// textOf returns labels as key=value key=value.
func textOf(l *sys.Labels) string {
	if l == nil {
		return ""
	}
	var parts []string
	for _, label := range l.All() {
		parts = append(parts, label.Key+"="+label.Value)
	}
	text := strings.Join(parts, " ")
	return text[:min(len(text), maxLabel)]
}

// labelledOf decodes an entry. It returns false if no Recorder has written it.
func labelledOf(b []byte, began int64) (Labelled, bool) {
	if len(b) != labelledSize {
		return Labelled{}, false
	}
	return Labelled{
		Goroutine: binary.LittleEndian.Uint32(b),
		At:        int64(binary.LittleEndian.Uint64(b[4:])) - began,
		Label:     binary.LittleEndian.Uint32(b[12:]),
	}, true
}
