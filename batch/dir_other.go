//go:build !linux

package batch

import (
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
)

const largeFile = 0

// inDir performs an operation with names relative to a directory. It joins them to the directory's
// name.
func (op *Op) inDir() error {
	err := handle.WithDescriptor(inside.File(op.dir).OS, func(int) error {
		return op.joined(func(int) error { return op.byName() })
	})
	if err == os.ErrClosed { // the errors of byName are wrapped
		return op.wrap(err)
	}
	return err
}

// withDir is joined, and keeps the directory open. It wraps do's error.
func (op *Op) withDir(do func(dir int) error) error {
	joined := func(int) error { return op.joined(do) }
	if err := handle.WithDescriptor(inside.File(op.dir).OS, joined); err != nil {
		return op.wrap(err)
	}
	return nil
}

// joined calls do while the operation's names are joined to the directory's name.
func (op *Op) joined(do func(dir int) error) error {
	name, other, dir := op.name, op.other, op.dir
	defer func() { op.name, op.other, op.dir = name, other, dir }()
	op.dir = nil
	join := func(name *string) {
		if *name != "" && !filepath.IsAbs(*name) {
			*name = filepath.Join(dir.Name(), *name)
		}
	}
	if op.kind != opSymlink { // the old name of a symbolic link is only text
		join(&op.name)
	}
	if op.kind <= lastOfTwo {
		join(&op.other)
	}
	return do(atWorkingDir)
}
