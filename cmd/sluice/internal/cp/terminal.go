package cp

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal is where a progress line can be.
type terminal struct{ file *os.File }

// newTerminal returns w's terminal, nil if it is none or cannot take a line back.
func newTerminal(w io.Writer) *terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return &terminal{f}
}

// defaultWidth is that of a terminal that does not say.
const defaultWidth = 80

// width returns how many columns there are now.
func (t *terminal) width() int {
	width, _, err := term.GetSize(int(t.file.Fd()))
	if err != nil || width <= 0 {
		return defaultWidth
	}
	return width
}
