package report

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Screen prints results, and shows progress below them on a terminal. It is not safe for
// concurrent use.
type Screen struct {
	out      io.Writer // results
	progress io.Writer // nil without a terminal
	width    int       // of the terminal

	hold func() bool // see Hold; nil if there was no call
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

// Hold makes Print keep its text back while when returns true, until Release. A command that
// is interrupted can then clean up first, even if no one reads its output.
func (s *Screen) Hold(when func() bool) { s.hold = when }

// Release prints what Hold kept back, and ends Hold.
func (s *Screen) Release() error {
	text := s.held.String()
	s.hold = nil
	s.held.Reset()
	if text == "" {
		return nil
	}
	return s.Print(text)
}

// Expect adds n to the number of steps that are expected.
func (s *Screen) Expect(n int) { s.total += n }

// Step shows what is being done now.
func (s *Screen) Step(label string) {
	if s.label != label {
		s.label = label
		s.draw()
	}
}

// Done counts n steps as done, the one shown last among them.
func (s *Screen) Done(n int) {
	s.done += n
	s.label = ""
}

// Print prints a part of the results. Names in them must have gone through Printable.
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

// left estimates the time to go by the steps that are done.
func (s *Screen) left() string {
	if s.done == 0 || s.total <= s.done {
		return ""
	}
	spent := time.Since(s.start)
	left := spent / time.Duration(s.done) * time.Duration(s.total-s.done)
	return fmt.Sprintf("  about %s left", left.Round(time.Second))
}
