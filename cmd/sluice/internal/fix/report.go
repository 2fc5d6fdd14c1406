package fix

import (
	"fmt"
	"io"
	"strings"
)

// Report writes what was changed, in a line that begins with the verb, then what stays and
// why, then the notes.
func (r *Result) Report(w io.Writer, verb string) error {
	var text strings.Builder
	if len(r.Files) == 0 {
		text.WriteString("nothing to change\n")
	} else {
		fmt.Fprintf(&text, "%s %s and %s in %s\n", verb, number(r.Calls, "call"), number(r.Types, "type"), number(len(r.Files), "file"))
	}
	for _, l := range r.Left {
		text.WriteString(l.String() + "\n")
	}
	for _, note := range r.Notes {
		text.WriteString("note: " + note + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// String returns the reason and the calls in one line.
func (l Left) String() string {
	const most = 4 // calls that are named
	var text strings.Builder
	for i, c := range l.Calls {
		switch {
		case i == most:
			fmt.Fprintf(&text, " and %d more", len(l.Calls)-most)
			return text.String() + l.because()
		case i > 0:
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%s: %s", c.At, c.Name)
	}
	return text.String() + l.because()
}

// because returns the end of the line.
func (l Left) because() string {
	stays := " stays: "
	if len(l.Calls) > 1 {
		stays = " stay: "
	}
	if !l.At.IsValid() {
		return stays + l.Reason
	}
	if len(l.Calls) == 1 && l.At == l.Calls[0].At {
		return stays + l.Reason
	}
	return stays + l.Reason + " (" + l.At.String() + ")"
}
