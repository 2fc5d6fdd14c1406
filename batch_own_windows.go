package sluice

import (
	"errors"
	"os"
)

// ownFiles: what its chain alone uses is a File like others.
const ownFiles = false

const atWorkingDir = 0

type ownFile struct {
	fd   int
	open bool
}

func (o *ownFile) close() error { return nil }

func (op *BatchOp) openOwn() error { return op.wrap(errors.ErrUnsupported) }

func (op *BatchOp) remove() error { return os.Remove(op.name) }
