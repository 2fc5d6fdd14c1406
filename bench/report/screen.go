package report

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Screen prints results. On a terminal it shows progress below them. It is not safe for concurrent
// use.
type Screen struct {
	out      io.Writer // results
	progress io.Writer // nil without a terminal
	width    int       // of the terminal

	hold func() bool // nil without a call of Hold
	held strings.Builder

	total, done int
	label       string
	start       time.Time
}

// NewScreen returns a Screen that writes results to out. Progress goes to the terminal progress, of
// the given width, unless it is nil.
func NewScreen(out, progress io.Writer, width int) *Screen {
	return &Screen{out: out, progress: progress, width: width, start: time.Now()}
}

// Hold makes Print hold its text back while when returns true, until Release. An interrupted
// command can then clean up first, even if its output is not read.
func (s *Screen) Hold(when func() bool) { s.hold = when }

// Release prints the text that Hold held back, and ends Hold.
func (s *Screen) Release() error {
	text := s.held.String()
	s.hold = nil
	s.held.Reset()
	if text == "" {
		return nil
	}
	return s.Print(text)
}

// Expect adds n to the number of expected steps.
func (s *Screen) Expect(n int) { s.total += n }

// Step shows the current step.
func (s *Screen) Step(label string) {
	if s.label != label {
		s.label = label
		s.draw()
	}
}

// Done counts n steps as done, including the last shown one.
func (s *Screen) Done(n int) {
	s.done += n
	s.label = ""
}

// Print prints a part of the results. Names in it must have passed through Printable.
func (s *Screen) Print(text string) error {
	text = PrintableLines(text)
	if s.hold != nil && s.hold() {
		s.held.WriteString(text)
		return nil
	}
	s.Clear()
	_, err := io.WriteString(s.out, text)
	if err == nil {
		s.draw()
	}
	return err
}

// Clear removes the progress line.
func (s *Screen) Clear() {
	if s.progress != nil {
		fmt.Fprint(s.progress, "\r\x1b[K")
	}
}

func (s *Screen) draw() {
	if s.progress == nil || s.label == "" {
		return
	}
	line := []rune(Printable(fmt.Sprintf("[%d/%d] %s%s", min(s.done+1, s.total), s.total, s.label, s.left())))
	line = line[:min(len(line), max(s.width-1, 0))] // a full line would wrap
	fmt.Fprintf(s.progress, "\r\x1b[K%s", string(line))
}

// left estimates the remaining time by the steps that are done.
func (s *Screen) left() string {
	if s.done == 0 || s.total <= s.done {
		return ""
	}
	spent := time.Since(s.start)
	left := spent / time.Duration(s.done) * time.Duration(s.total-s.done)
	return fmt.Sprintf("  about %s left", left.Round(time.Second))
}
