package cp

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree"
)

// usageError is a command line that cannot be meant.
type usageError struct{ text string }

func (e usageError) Error() string {
	return e.text + "\nTry 'sluice cp --help' for more information."
}

func usage(text string) error { return usageError{text} }

// causeText returns what strerror(3) says of err.
func causeText(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno
	} else if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	text := err.Error()
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// fileError is what went wrong with one file.
type fileError struct {
	path string // as it was named, or found below what was named
	op   string // the system call, "" if none failed
	err  error  // its error, nil if none failed
	text string // what is said of it
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.err }

// failed is the error of a call for name, in the words of GNU's tools.
func failed(what, name string, err error) error {
	e := &fileError{path: name, err: err, text: what + " " + quote(name) + ": " + causeText(err)}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		e.op = pathErr.Op
	}
	return e
}

// copyError is the error of a copy that makes files of a kind, in the words of GNU's
// tools.
func copyError(e *copytree.Error, kind copytree.Make) error {
	return &fileError{path: e.Path, op: e.Op, err: e.Err, text: message(e, kind)}
}

// errorJSON is an error for machines.
type errorJSON struct {
	Path    string `json:"path"`    // "" if it is of no file; bytes that are not UTF-8 are U+FFFD
	Op      string `json:"op"`      // the system call, or what was done instead of it; "" if unknown
	Errno   string `json:"errno"`   // "EACCES"; "" if the system has refused nothing
	Message string `json:"message"` // what is said on stderr, names quoted for a shell
}

// jsonOf returns err for machines.
func jsonOf(err error) errorJSON {
	j := errorJSON{Message: err.Error()}
	if e, ok := errors.AsType[*fileError](err); ok {
		j.Path, j.Op = e.path, e.op
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		j.Errno = errnoName(errno)
	}
	return j
}
