package batch

import (
	"errors"
	"io"
	"os"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// closeOwned closes a file that the chain owns, once.
func (op *Op) closeOwned() error {
	if op.raw.open {
		return op.raw.close()
	}
	f := op.file
	if f == nil {
		return nil
	}
	op.file = nil
	return f.Close()
}

// plain reports whether the file that op opens can be a bare descriptor. The chain must own the
// file, and only read, write and close it. A file with O_DIRECT cannot: a read from a bare
// descriptor tries the page cache first, which must not wait, and would wait for the disk.
func (op *Op) plain() bool {
	if !op.owned || !rawFiles || int(op.off)&(os.O_APPEND|sys.O_DIRECT) != 0 {
		return false
	}
	for next := op.next; next != nil; next = next.next {
		if next.open != op {
			continue
		}
		switch next.kind {
		case opReadAt, opWriteAt:
			if next.off < 0 {
				return false
			}
		case opCloseFile:
		default:
			return false
		}
	}
	return true
}

// onRaw performs an operation on a bare descriptor.
func (op *Op) onRaw(r *run) (err error) {
	own := sched.RawFile{FD: op.open.raw.fd, Name: op.open.name}
	switch op.kind {
	case opReadAt:
		err = op.moved(r.core.ReadRaw(r.ctx, own, op.buf, op.off))
	case opWriteAt:
		err = op.moved(r.core.WriteRaw(r.ctx, own, op.buf, op.off))
	case opCloseFile:
		err = op.close(r)
	default:
		panic(op.notNamed("onRaw"))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return op.wrap(err)
	}
	return err
}
