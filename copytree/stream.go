package copytree

import (
	"errors"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
)

// A FIFO is opened without waiting for its other end, and the other end is
// waited for here, as open(2) without O_NONBLOCK does it; so that the end of the
// context ends that too.

const (
	// patience is how long it takes at most to see that the context has ended.
	patience = 100 * time.Millisecond
	// glanceLeast and glanceMost are how long it takes at most to see that somebody
	// has opened a FIFO for reading: the system does not tell of that.
	glanceLeast, glanceMost = time.Millisecond, 32 * time.Millisecond
)

// streams tells whether files of that kind can only be read and written from
// front to back.
func streams(t at.Type) bool { return contentKind(t) == content.Stream }

// contentKind is what such a file is to package content. What is not there yet
// becomes a regular one.
func contentKind(t at.Type) content.Kind {
	switch t {
	case at.Regular, at.Unknown:
		return content.Regular
	case at.BlockDev:
		return content.Block
	}
	return content.Stream
}

// awaitWriter waits until there is something in the FIFO that the source is, or
// who wrote to it is gone. Before, nothing is done to the destination.
func (w *worker) awaitWriter(it *item) error {
	for !w.kernel.Readable(it.fd, patience) {
		if err := w.ctx.Err(); err != nil {
			return &fault{"open", source, err}
		}
	}
	return nil
}

// openThere opens what is there, to be overwritten. For a FIFO it waits until
// somebody reads from it.
func (w *worker) openThere(it *item) (int, error) {
	o := at.Opening{Access: w.access, Kind: it.over, Empty: w.o.Make != MakeAttributes}
	if it.over != at.Regular {
		w.kernel.Hold = w.pace.large()
	}
	for glance := glanceLeast; ; glance = min(2*glance, glanceMost) {
		fd, err := w.kernel.Overwrite(it.in.dst, it.dst, it.through, o)
		if it.over != at.FIFO || !errors.Is(err, syscall.ENXIO) {
			return fd, err
		}
		select {
		case <-w.ctx.Done():
			return -1, w.ctx.Err()
		case <-time.After(glance):
		}
	}
}
