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

// FIFOs are opened without waiting for the other end. Maker waits for it instead
// of open(2), so that the end of the context ends that, too.

const (
	// readablePoll is how long the end of the context may go unnoticed.
	readablePoll = 100 * time.Millisecond
	// minReaderPoll and maxReaderPoll bound the time between two looks whether
	// another process has opened a FIFO for reading: nothing announces that.
	minReaderPoll, maxReaderPoll = time.Millisecond, 32 * time.Millisecond
)

// isStream reports whether files of that type can only be read and written from
// front to back.
func isStream(t at.Type) bool { return contentKind(t) == content.Stream }

// contentKind returns what a file of that type is to package content. A file that
// does not exist yet will be a regular one.
func contentKind(t at.Type) content.Kind {
	switch t {
	case at.Regular, at.Unknown:
		return content.Regular
	case at.BlockDev:
		return content.Block
	}
	return content.Stream
}

// awaitWriter waits until the FIFO that is the source has data, or its last writer
// has gone. Before, the destination is not touched.
func (m *Maker) awaitWriter(it *item.Item) error {
	for !m.Kernel.Readable(it.SrcFD, readablePoll) {
		if err := m.job.Ctx.Err(); err != nil {
			return fault.Source("open", err)
		}
	}
	return nil
}

// openExisting opens what exists, to be overwritten. For a FIFO it waits until
// another process reads from it.
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
