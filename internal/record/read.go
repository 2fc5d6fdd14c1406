package record

import (
	"errors"
	"fmt"
	"io"

	"github.com/sluiceio/sluice/internal/sys"
)

// Magic is the beginning of a recording's file.
const Magic = magic

// ErrDamaged is in the error of Read if the file is not a complete recording.
var ErrDamaged = errors.New("not a whole recording")

// Bounds of the memory that Read allocates for a damaged file.
const (
	maxNames   = 16 << 20 // 16 MiB
	maxStripes = 1 << 16  // 8 MiB
)

// Read passes the records of a file of Create to the Sink. If a program is recording in it, Read
// leaves out a record that is being written: it reads the page a second time through again. If
// again is nil, a record may have parts of two.
func Read(from io.Reader, again io.ReaderAt, to Sink) (Recording, error) {
	heads := make([]header, 1)
	if err := fill(from, heads); err != nil {
		return Recording{}, err
	}
	a := area{head: &heads[0]}
	if err := a.head.check(); err != nil {
		return Recording{}, err
	}
	a.names = make([]byte, a.head.names)
	a.stripes = make([]stripe, a.head.stripes) // check has made sure that they fill pages
	if err := errors.Join(fill(from, a.names), fill(from, a.stripes)); err != nil {
		return Recording{}, err
	}
	page, later := make([]chunk, 1), make([]chunk, 1)
	off := pageSize + int64(len(a.names)) + stripeSize*int64(len(a.stripes))
	for i := range uint64(a.head.ready.Load()) {
		if err := fill(from, page); err != nil {
			return Recording{}, err
		}
		if again != nil {
			if err := fill(io.NewSectionReader(again, off+pageSize*int64(i), pageSize), later); err != nil {
				return Recording{}, err
			}
			page[0].dropChanged(&later[0])
		}
		page[0].dropInvalid(i, uint64(a.head.chunks))
		page[0].collect(a.head.began, to)
	}
	return a.recording(), nil
}

// fill reads into the memory of v.
func fill[T any](from io.Reader, v []T) error {
	switch _, err := io.ReadFull(from, sys.BytesOf(v)); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file is cut off: %w", ErrDamaged)
	default:
		return err
	}
}

// check returns an error if Create cannot have made the header.
func (h *header) check() error {
	switch {
	case string(h.magic[:]) != magic:
		return fmt.Errorf("it begins with %q: %w", h.magic[:], ErrDamaged)
	case h.order != order:
		return fmt.Errorf("it was recorded on a machine with another byte order: %w", ErrDamaged)
	case h.version < oldest || h.version > version:
		return fmt.Errorf("the recording has format version %d; this program reads versions %d to %d: %w", h.version, oldest, version, ErrDamaged)
	case h.stripes == 0 || h.stripes > maxStripes || h.stripes*stripeSize%pageSize != 0,
		h.chunks == 0 || h.chunks&(h.chunks-1) != 0 || h.chunks > MaxEvents/perChunk, h.names > maxNames,
		h.ready.Load() > h.chunks:
		return fmt.Errorf("its header has impossible values: %w", ErrDamaged)
	}
	return nil
}

// dropChanged removes records that were being written while c was read. later is a second reading
// of the page. The word of a place changes before anything else is written there, and never has the
// same value again.
func (c *chunk) dropChanged(later *chunk) {
	for i := range c.events {
		if w := &c.events[i].word; w.Load() != later.events[i].word.Load() {
			w.Store(0)
		}
	}
}

// dropInvalid removes records that no Recorder has written from chunk i of n, which was read from a
// file.
func (c *chunk) dropInvalid(i, n uint64) {
	for j := range c.events {
		e := &c.events[j]
		if turn := e.word.Load() >> 1; turn%n != i || turn > c.turn.Load() {
			e.word.Store(0)
		}
	}
}
