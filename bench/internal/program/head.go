package program

import "strings"

// Head is a writer that keeps the first Max bytes and drops the rest. So it needs little memory
// even for a program that writes without end.
type Head struct {
	Max  int
	text []byte
}

// Write keeps the bytes that fit, and always returns len(b).
func (h *Head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), h.Max-len(h.text))]...)
	return len(b), nil
}

// String returns the kept bytes.
func (h *Head) String() string { return string(h.text) }

// FirstLine returns the first line of text that is not blank, or "". In the output of a program
// that fails, that line is usually the reason.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
