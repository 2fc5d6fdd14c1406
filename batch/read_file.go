package batch

import (
	"errors"
	"io/fs"

	"github.com/sluiceio/sluice/internal/handle"
)

// readFile opens a file, reads all of it, and closes it.
func (op *Op) readFile(r *run) error {
	if err := op.named(r); err != nil {
		return err
	}
	defer op.closeOwned() // the file was only read, so its Close cannot lose bytes
	var err error
	if op.raw.open {
		op.buf, err = op.readRaw(r)
	} else {
		var size int64
		if info, err := op.file.Stat(); err == nil {
			size = info.Size()
		}
		op.buf, err = handle.ReadAll(size, op.file.Read)
	}
	if op.n = len(op.buf); err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return op.wrapAs("read", err)
}
