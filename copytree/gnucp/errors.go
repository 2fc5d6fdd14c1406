package gnucp

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// usageError is an error in the command line.
type usageError struct{ text string }

func (e usageError) Error() string {
	return e.text + "\nTry 'sluice cp --help' for more information."
}

func usage(text string) error { return usageError{text} }

// causeText returns the text of strerror(3) for err.
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

// fileError is an error of one file.
type fileError struct {
	path string // as on the command line, or below a path of the command line
	op   string // the system call, "" if none failed
	err  error  // the call's error, nil if none failed
	text string // the message
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.err }

// failed returns the error of a system call for name, in GNU's wording.
func failed(what, name string, err error) error {
	e := &fileError{path: name, err: err, text: what + " " + quote(name) + ": " + causeText(err)}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		e.op = pathErr.Op
	}
	return e
}

// copyError returns the engine's error in GNU cp's wording. kind is the object that the copy makes,
// which some messages depend on.
func copyError(e *report.Error, kind option.Make) error {
	return &fileError{path: e.Path, op: e.Op, err: e.Err, text: message(e, kind)}
}

// errorJSON is an error in JSON.
type errorJSON struct {
	Path    string `json:"path"`    // "" if no file failed; bytes that are not UTF-8 are U+FFFD
	Op      string `json:"op"`      // the system call or the operation; "" if unknown
	Errno   string `json:"errno"`   // "EACCES"; "" if no system call failed
	Message string `json:"message"` // the message on stderr, with names quoted for a shell
}

// jsonOf returns err as an errorJSON.
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
