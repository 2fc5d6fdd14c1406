package cp

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
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

// failed is the error of a call for name, as GNU's tools tell it.
func failed(what, name string, err error) error {
	return errors.New(what + " " + quote(name) + ": " + causeText(err))
}
