package copytree

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/content"
)

// side is which of two files something was done with.
type side bool

const (
	source      side = false
	destination side = true
)

// fault is what went wrong with the file that is being copied.
type fault struct {
	op   string // as Error.Op
	side side
	err  error
}

func (f *fault) Error() string { return f.op + ": " + f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// faultOf makes a fault of err, which is nil, one already, or of package
// content.
func faultOf(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if c, ok := errors.AsType[*content.Error](err); ok {
		return &fault{c.Op, side(!c.Source), c.Err}
	}
	return &fault{"copy", source, err}
}

// faultsOf are the faults that err joins, or the one that it is.
func faultsOf(err error) []*fault {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []*fault{faultOf(err)}
	}
	var all []*fault
	for _, e := range several.Unwrap() {
		all = append(all, faultsOf(e)...)
	}
	return all
}

// wrong is a fault, or nil if err is.
func wrong(op string, s side, err error) error {
	if err == nil {
		return nil
	}
	return &fault{op, s, err}
}

// full reports whether f says that there is no room, which is true for all other
// files as well. A file's room for extended attributes is its own.
func (f *fault) full() bool {
	return f.side == destination && !strings.HasPrefix(f.op, "setxattr") && (errors.Is(f.err, syscall.ENOSPC) || errors.Is(f.err, syscall.EDQUOT))
}

// canceled tells whether f is only what became of a file when the copy ended.
func (f *fault) canceled() bool {
	return errors.Is(f.err, context.Canceled) || errors.Is(f.err, context.DeadlineExceeded)
}
