// Package errs makes errors for package variables. The first call of package fmt takes 50 µs, and
// with fmt.Errorf every program would pay for it at its start.
package errs

type wrapped struct {
	text string
	err  error
}

// Wrap returns what fmt.Errorf("%s: %w", text, err) returns.
func Wrap(text string, err error) error { return &wrapped{text, err} }

func (w *wrapped) Error() string { return w.text + ": " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }
