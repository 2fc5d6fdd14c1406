package batch

import (
	"errors"
	"os"
)

// rawFiles says that a file that only its chain uses is a File, as all files are.
const rawFiles = false

const atWorkingDir = 0

type rawFile struct {
	fd   int
	open bool
}

func (f *rawFile) close() error { return nil }

func (op *Op) openRaw() error { return op.wrap(errors.ErrUnsupported) }

func (op *Op) remove() error { return os.Remove(op.name) }

func (op *Op) readRaw(*run) ([]byte, error) { return nil, errors.ErrUnsupported }
