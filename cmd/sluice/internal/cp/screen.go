package cp

import (
	"fmt"
	"io"
	"sync"
)

// screen is what the user sees: lines on stdout and stderr, and below them the
// progress line if there is one. Its methods may be called by several
// goroutines.
type screen struct {
	out, err io.Writer
	terminal *terminal // nil without a progress line

	mu     sync.Mutex
	shown  bool  // whether the progress line is there
	asking bool  // whether a question is, which the line must not cover
	broken error // of the first write to stdout that failed
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
	fmt.Fprintf(s.err, "sluice cp: %s\n", text)
}

// note writes text as it is to stderr.
func (s *screen) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	fmt.Fprint(s.err, text)
}

// prompt shows a question on stderr. There is no progress line until answered
// is called.
func (s *screen) prompt(question string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.asking = true
	fmt.Fprint(s.err, question)
}

// answered says that the question has its answer.
func (s *screen) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = false
}

// endQuestion begins a new line on a terminal where a question waits.
func (s *screen) endQuestion() {
	if s.asking && s.terminal != nil {
		fmt.Fprintln(s.err)
	}
}

// line shows the progress line, which text fits.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal == nil || s.asking {
		return
	}
	fmt.Fprintf(s.terminal.file, "\r\x1b[K%s", text)
	s.shown = true
}

// clear takes the progress line away. s.mu is held.
func (s *screen) clear() {
	if s.shown {
		fmt.Fprint(s.terminal.file, "\r\x1b[K")
		s.shown = false
	}
}

// close takes the progress line away, and returns the first error of stdout.
func (s *screen) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	return s.broken
}
