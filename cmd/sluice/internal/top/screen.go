package top

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/internal/live"
)

// Show draws the figures on the whole terminal until a key ends it, ctx ends, or the program is
// gone. It asks for them by fetch, again and again. It returns fetch's error, or the cause of ctx's
// end.
func Show(ctx context.Context, out io.Writer, colour bool, fetch func(context.Context) (*live.Figures, error)) error {
	asking, stop := context.WithCancel(ctx)
	defer stop() // ends a request in progress
	s := &screen{ctx: asking, colour: colour, fetch: fetch, width: 80, height: 24}
	_, err := tea.NewProgram(s, tea.WithContext(ctx), tea.WithOutput(out), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(err, s.err)
}

// screen is what the terminal shows.
type screen struct {
	ctx           context.Context
	fetch         func(context.Context) (*live.Figures, error)
	width, height int
	colour        bool
	still         bool // paused
	asked         bool // an answer is on its way

	figures *live.Figures // nil before the first answer
	err     error
}

// answer is a message with the figures, or the error.
type answer struct {
	figures *live.Figures
	err     error
}

// again is the message that it is time to ask again.
type again struct{}

// pause is the time between an answer and the next question. An answer itself takes a second.
const pause = 200 * time.Millisecond

func (s *screen) Init() tea.Cmd { return s.ask() }

// ask asks for the figures, unless that is done.
func (s *screen) ask() tea.Cmd {
	if s.asked || s.still {
		return nil
	}
	s.asked = true
	return func() tea.Msg {
		f, err := s.fetch(s.ctx)
		return answer{f, err}
	}
}

func (s *screen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case tea.KeyPressMsg:
		return s, s.key(m.String())
	case answer:
		s.asked = false
		if m.err != nil {
			s.err = m.err
			return s, tea.Quit
		}
		if !s.still {
			s.figures = m.figures
		}
		return s, tea.Tick(pause, func(time.Time) tea.Msg { return again{} })
	case again:
		return s, s.ask()
	}
	return s, nil
}

func (s *screen) key(name string) tea.Cmd {
	switch name {
	case "q", "esc", "ctrl+c":
		return tea.Quit
	case "space", "p":
		s.still = !s.still
		return s.ask()
	}
	return nil
}

// View draws the screen. The last line has the keys.
func (s *screen) View() tea.View {
	keys := "q ends, space pauses"
	if s.still {
		keys = "paused; space goes on"
	}
	body := "asking …\n"
	if s.figures != nil {
		body = Text(s.figures, s.width, max(1, s.height-1), s.colour)
	}
	d := &drawing{width: s.width, colour: s.colour}
	v := tea.NewView(body + d.style(dim, cut(keys, s.width)))
	v.AltScreen = true
	v.WindowTitle = fmt.Sprintf("sluice top %s", report.Printable(s.name()))
	return v
}

func (s *screen) name() string {
	if s.figures == nil {
		return ""
	}
	return s.figures.Program
}
