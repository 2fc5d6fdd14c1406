package entry

import (
	"errors"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// FIFOs are opened without waiting for the other end. Then the Maker waits for it, so that the end
// of the context ends the wait.

const (
	// readablePoll is the longest time until the end of the context is noticed.
	readablePoll = 100 * time.Millisecond
	// minReaderPoll and maxReaderPoll bound the time between two checks whether another process has
	// opened a FIFO for reading. No event tells.
	minReaderPoll, maxReaderPoll = time.Millisecond, 32 * time.Millisecond
)

// isStream reports whether files of that type can only be read and written from front to back.
func isStream(t at.Type) bool { return contentKind(t) == content.Stream }

// contentKind returns the content.Kind for a type of file. A file that does not exist yet will be a
// regular one.
func contentKind(t at.Type) content.Kind {
	switch t {
	case at.Regular, at.Unknown:
		return content.Regular
	case at.BlockDev:
		return content.Block
	}
	return content.Stream
}

// awaitWriter waits until the source, a FIFO, has data or has lost its last writer. The destination
// is not touched before.
func (m *Maker) awaitWriter(it *item.Item) error {
	for !m.Kernel.Readable(it.SrcFD, readablePoll) {
		if err := m.job.Ctx.Err(); err != nil {
			return fault.Source("open", err)
		}
	}
	return nil
}

// openExisting opens the existing file to overwrite it. For a FIFO it waits until another process
// reads from it.
func (m *Maker) openExisting(it *item.Item) (int, error) {
	o := at.Opening{Access: m.access, Type: it.Existing, Empty: m.job.Opt.Make != option.MakeAttributes}
	if it.Existing != at.Regular {
		m.events.LongCopy()
		m.Hold.Ignore()
	}
	for poll := minReaderPoll; ; poll = min(2*poll, maxReaderPoll) {
		fd, err := m.Kernel.Overwrite(it.Dir.DstFD, it.Dst, it.Through, o)
		if it.Existing != at.FIFO || !errors.Is(err, syscall.ENXIO) {
			return fd, err
		}
		select {
		case <-m.job.Ctx.Done():
			return -1, m.job.Ctx.Err()
		case <-time.After(poll):
		}
	}
}
