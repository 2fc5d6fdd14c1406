package testenv

import "errors"

// Limited accepts Most bytes, and then fails.
type Limited struct {
	Most int
	b    []byte
}

// ErrNoRoom is the error of a Limited.
var ErrNoRoom = errors.New("no room")

func (l *Limited) Write(b []byte) (int, error) {
	n := min(len(b), l.Most-len(l.b))
	l.b = append(l.b, b[:n]...)
	if n < len(b) {
		return n, ErrNoRoom
	}
	return n, nil
}

// Bytes returns the accepted bytes.
func (l *Limited) Bytes() []byte { return l.b }

func (l *Limited) String() string { return string(l.b) }
