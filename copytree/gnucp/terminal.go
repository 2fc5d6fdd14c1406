package gnucp

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal is a terminal that can show a progress line.
type terminal struct{ file *os.File }

// newTerminal returns w's terminal, or nil if w is no terminal or cannot erase a line.
func newTerminal(w io.Writer) *terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return &terminal{f}
}

// defaultWidth is the width of a terminal that does not report its width.
const defaultWidth = 80

// width returns the terminal's current number of columns.
func (t *terminal) width() int {
	width, _, err := term.GetSize(int(t.file.Fd()))
	if err != nil || width <= 0 {
		return defaultWidth
	}
	return width
}
