package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
)

// isTerminal reports whether what is written to w is shown on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns returns how wide a terminal is; 80 if it does not say.
func columns(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// fit has reports fit w: the columns of the variable COLUMNS, as with the help, or else of
// the terminal. Without both no line is broken.
func fit(w io.Writer) {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f, ok := w.(*os.File); (err != nil || width <= 0) && ok && isTerminal(f) {
		width = columns(f)
	}
	report.SetWidth(width)
}
