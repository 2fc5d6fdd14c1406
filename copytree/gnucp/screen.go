package gnucp

import (
	"fmt"
	"io"
	"sync"
)

// screen writes lines to stdout and stderr, and keeps the progress line below them. Several
// goroutines may call its methods at once.
type screen struct {
	out, err io.Writer
	terminal *terminal // nil without a progress line

	mu     sync.Mutex
	shown  bool  // whether the progress line is on the terminal
	asking bool  // whether a question is on the terminal, which the line must not overwrite
	broken error // the first error of a write to stdout
	unsaid bool  // whether a write to stderr failed
}

// print writes to stdout.
func (s *screen) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	if _, err := io.WriteString(s.out, text); err != nil && s.broken == nil {
		s.broken = err
	}
}

// complain writes a message to stderr.
func (s *screen) complain(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.endQuestion()
	if _, err := fmt.Fprintf(s.err, "sluice cp: %s\n", text); err != nil {
		s.unsaid = true
	}
}

// lost reports whether a message could not be written to stderr.
func (s *screen) lost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaid
}

// note writes text to stderr unchanged.
func (s *screen) note(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	_, err := io.WriteString(s.err, text)
	return err
}

// prompt shows a question on stderr. The progress line stays away until answered is called.
func (s *screen) prompt(question string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.asking = true
	fmt.Fprint(s.err, question)
}

// answered ends a question: the progress line may be shown again.
func (s *screen) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = false
}

// endQuestion begins a new line on a terminal whose last line is a question. It must be called with
// s.mu held.
func (s *screen) endQuestion() {
	if s.asking && s.terminal != nil {
		fmt.Fprintln(s.err)
	}
}

// line shows text, which fits one line of the terminal, as the progress line.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal == nil || s.asking {
		return
	}
	fmt.Fprintf(s.terminal.file, "\r\x1b[K%s", text)
	s.shown = true
}

// clear erases the progress line. It must be called with s.mu held.
func (s *screen) clear() {
	if s.shown {
		fmt.Fprint(s.terminal.file, "\r\x1b[K")
		s.shown = false
	}
}

// close erases the progress line, and returns the first error of stdout.
func (s *screen) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	return s.broken
}
