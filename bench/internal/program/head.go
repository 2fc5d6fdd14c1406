package program

import "strings"

// Head is a writer that keeps the first Max bytes and drops the rest, so that a program
// that writes without end takes no memory.
type Head struct {
	Max  int
	text []byte
}

// Write reports that it wrote all of b, whatever it keeps of it.
func (h *Head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), h.Max-len(h.text))]...)
	return len(b), nil
}

// String returns what is kept.
func (h *Head) String() string { return string(h.text) }

// FirstLine returns the first line of text that is not blank, "" if there is none. Of what
// a program writes before it fails, that line is usually the reason.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
