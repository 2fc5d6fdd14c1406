package report

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Screen takes results, and shows progress below them on a terminal. It is
// for one goroutine.
type Screen struct {
	out      io.Writer // results
	progress io.Writer // nil without a terminal
	width    int       // of the terminal

	hold func() bool // nil holds nothing
	held strings.Builder

	total, done int
	label       string
	start       time.Time
}

// NewScreen returns a Screen that writes results to out. Progress goes to
// the terminal progress, of the given width, or nowhere if that is nil.
func NewScreen(out, progress io.Writer, width int) *Screen {
	return &Screen{out: out, progress: progress, width: width, start: time.Now()}
}

// Hold keeps back what is printed while when returns true, until Release: nobody
// has to read for there to be an end.
func (s *Screen) Hold(when func() bool) { s.hold = when }

// Release shows what was kept back, and ends Hold.
func (s *Screen) Release() error {
	text := s.held.String()
	s.hold = nil
	s.held.Reset()
	if text == "" {
		return nil
	}
	return s.Print(text)
}

// Expect adds n steps to those that make the whole.
func (s *Screen) Expect(n int) { s.total += n }

// Step says what is being done now.
func (s *Screen) Step(label string) {
	if s.label != label {
		s.label = label
		s.draw()
	}
}

// Done says that n steps have been done, the one shown last among them.
func (s *Screen) Done(n int) {
	s.done += n
	s.label = ""
}

// Print shows a part of the results, lines that Printable has gone over.
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

// Clear takes the progress line away.
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

// left estimates the time to go by the steps that are done.
func (s *Screen) left() string {
	if s.done == 0 || s.total <= s.done {
		return ""
	}
	spent := time.Since(s.start)
	left := spent / time.Duration(s.done) * time.Duration(s.total-s.done)
	return fmt.Sprintf("  about %s left", left.Round(time.Second))
}
