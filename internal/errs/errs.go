// Package errs makes the errors that are variables of a package. fmt.Errorf would do, but such a
// variable is made when a program starts, and the first call of package fmt takes 50 µs: longer than
// all else that this module does then.
package errs

type wrapped struct {
	text string
	err  error
}

// Wrap returns what fmt.Errorf("%s: %w", text, err) returns.
func Wrap(text string, err error) error { return &wrapped{text, err} }

func (w *wrapped) Error() string { return w.text + ": " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }
