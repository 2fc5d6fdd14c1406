package record

import (
	"errors"
	"fmt"
	"io"

	"github.com/sluiceio/sluice/internal/sys"
)

// Magic is how a recording's file begins.
const Magic = magic

// ErrDamaged is wrapped by what Read returns for a file that is no recording.
var ErrDamaged = errors.New("no whole recording")

// What a file that lies about itself can make its reader take.
const (
	mostNames   = 16 << 20 // 16 MiB
	mostStripes = 1 << 16  // 8 MiB
)

// Read gives the records of a file that Create has made. A program may be
// recording in it: what it is writing at the moment is left out.
func Read(from io.Reader, to Sink) (Recording, error) {
	heads := make([]header, 1)
	if err := fill(from, heads); err != nil {
		return Recording{}, err
	}
	a := area{head: &heads[0]}
	if err := a.head.check(); err != nil {
		return Recording{}, err
	}
	a.names = make([]byte, a.head.names)
	a.stripes = make([]stripe, a.head.stripes) // they are whole pages
	if err := errors.Join(fill(from, a.names), fill(from, a.stripes)); err != nil {
		return Recording{}, err
	}
	page := make([]chunk, 1)
	for i := range uint64(a.head.there.Load()) {
		if err := fill(from, page); err != nil {
			return Recording{}, err
		}
		page[0].screen(i, uint64(a.head.chunks))
		page[0].collect(a.head.began, to)
	}
	return a.recording(), nil
}

// fill reads v's memory.
func fill[T any](from io.Reader, v []T) error {
	switch _, err := io.ReadFull(from, sys.BytesOf(v)); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file is cut off: %w", ErrDamaged)
	default:
		return err
	}
}

// check refuses what Create has not made.
func (h *header) check() error {
	switch {
	case string(h.magic[:]) != magic:
		return fmt.Errorf("it begins with %q: %w", h.magic[:], ErrDamaged)
	case h.order != order:
		return fmt.Errorf("it was recorded by a machine with another order of bytes: %w", ErrDamaged)
	case h.version != version:
		return fmt.Errorf("the recording has version %d; this reader knows %d: %w", h.version, version, ErrDamaged)
	case h.stripes == 0 || h.stripes > mostStripes || h.stripes*stripeSize%pageSize != 0,
		h.chunks == 0 || h.chunks&(h.chunks-1) != 0 || h.chunks > MostEvents/perChunk, h.names > mostNames,
		h.there.Load() > h.chunks:
		return fmt.Errorf("its header makes no sense: %w", ErrDamaged)
	}
	return nil
}

// screen takes out, of a chunk at place i of n that was read from a file, what
// no Recorder has written.
func (c *chunk) screen(i, n uint64) {
	for j := range c.events {
		e := &c.events[j]
		if turn := e.word.Load() >> 1; turn%n != i || turn > c.turn.Load() {
			e.word.Store(0)
		}
	}
}
