package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/sluiceio/sluice/bench/report"
)

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns returns the width of a terminal, or 80 if it is unknown.
func columns(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// Columns returns the variable COLUMNS, or else the width of the terminal w, or else 80.
func Columns(w io.Writer) int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err == nil && width > 0 {
		return width
	}
	if f, ok := w.(*os.File); ok && IsTerminal(f) {
		return columns(f)
	}
	return 80
}

// FitWidth sets the width of reports to the variable COLUMNS, as the help does, or else to
// the width of the terminal w. Without both no line is broken.
func FitWidth(w io.Writer) {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f, ok := w.(*os.File); (err != nil || width <= 0) && ok && IsTerminal(f) {
		width = columns(f)
	}
	report.SetWidth(width)
}

// NewScreen returns a screen. It shows progress if s.Err is a terminal on which a line can be
// overwritten.
func NewScreen(s Streams) *report.Screen {
	f, ok := s.Err.(*os.File)
	if !ok || !IsTerminal(f) || os.Getenv("TERM") == "dumb" {
		return report.NewScreen(s.Out, nil, 0)
	}
	return report.NewScreen(s.Out, io.Writer(f), columns(f))
}
