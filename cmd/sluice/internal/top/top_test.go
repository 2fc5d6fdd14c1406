package top

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sluiceio/sluice/internal/live"
)

// figures returns what a busy program answers. Its names are hostile.
func figures() *live.Figures {
	f := &live.Figures{
		Program: "prog\x1b]0;title\a", PID: 4711, Go: "go1.26.8", Time: time.Unix(1_760_000_000, 0), Seconds: 1,
		Schedulers: []live.Scheduler{{Driver: "uring", Rings: 1}, {}},
		Paths:      []live.Path{{Name: "cached", Rate: 41_234}, {Name: "plain", InFlight: 3, Waiting: 12, Rate: 120}, {Name: "queued", InFlight: 61, Rate: 8130}},
		Kinds: []live.Group{
			{Name: "fsync shared", Rate: 12, P50: 1_200_000, P99: 33_000_000, Max: 33_000_000},
			{Name: "read queued", Mean: 60.2, Rate: 8130, Bytes: 33 << 20, P50: 1_200_000, P99: 2_500_000, Max: 33_000_000},
		},
		Devices:   []live.Device{{Name: "nvme0n1", Queued: 61, Plain: 3, Waiting: 12, Permits: 64, Rings: 1}},
		Classes:   []live.Group{{Name: "default", InFlight: 60}, {Name: "compaction", InFlight: 1, Rate: 10, P99: 5_000_000}},
		OpenFiles: 12, FilesLeft: 3, Lost: 5,
	}
	for i := range 20 {
		f.Files = append(f.Files, live.Group{Name: fmt.Sprintf("/srv/db/a-directory/データ/%06d.sst\n", i), InFlight: 20 - i, Mean: 1.5, Rate: 800, Bytes: 4 << 20, P99: 2_500_000})
	}
	return f
}

// TestText checks that each line fits, at any width, and that the text obeys no name.
func TestText(t *testing.T) {
	for _, colour := range []bool{false, true} {
		for width := 20; width <= 200; width++ {
			text := Text(figures(), width, 0, colour)
			for line := range strings.Lines(text) {
				if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > max(width, 40) {
					t.Fatalf("at %d columns a line has %d: %q", width, n, line)
				}
			}
			if strings.Contains(text, "\a") || strings.Contains(text, "\x1b]") || !colour && strings.Contains(text, "\x1b") {
				t.Fatalf("at %d columns, colour %v, the text has control characters: %q", width, colour, text)
			}
		}
	}
	text := regexp.MustCompile(" +").ReplaceAllString(Text(figures(), 80, 0, false), " ")
	for _, want := range []string{
		"\nnvme0n1 61 3 12 64 1\n",
		"000019.sst\\n 1 1.5 800 4Mi 2.5ms\n",
		"\ncompaction 1 0 10 0 5ms\n",
		"and 3 more files\n",
		"uring, no driver yet; 12 files open",
		"5 events did not fit",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
	narrow := Text(figures(), 40, 0, false)
	for _, want := range []string{"queued", "61", "1.2ms", "2.5ms", "…"} {
		if !strings.Contains(narrow, want) {
			t.Errorf("at 40 columns the text has no %q:\n%s", want, narrow)
		}
	}
	if n := strings.Count(Text(figures(), 80, 24, false), "\n"); n != 24 {
		t.Errorf("a screen of 24 lines gets %d", n)
	}
	if none := Text(&live.Figures{Program: "prog"}, 80, 0, false); !strings.Contains(none, "No Scheduler is open") {
		t.Errorf("without a Scheduler the text is %q", none)
	}
}

// TestFind: what a target means.
func TestFind(t *testing.T) {
	for target, want := range map[string]string{
		"localhost:6060":         "http://localhost:6060/debug/sluice/",
		":6060":                  "http://localhost:6060/debug/sluice/",
		"[::1]:80":               "http://[::1]:80/debug/sluice/",
		"http://h:1":             "http://h:1/debug/sluice/",
		"https://h/a/b/?x=1#top": "https://h/a/b/",
		"":                       "", "nonsense": "", "0": "", "-3": "", "localhost:": "", "http://%zz": "", "99999999999999999999": "",
	} {
		got, err := Find(t.Context(), target)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Find(%q) = %q, %v; want %q", target, got, err, want)
		}
	}
	if _, err := Find(t.Context(), fmt.Sprint(os.Getpid())); err == nil || !strings.Contains(err.Error(), "no live look") && !strings.Contains(err.Error(), "on this system") {
		t.Errorf("Find of a process without a live look = %v", err)
	}
}

// TestFetch checks right answers and wrong ones.
func TestFetch(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string // of the error; "" for none
	}{
		"figures": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery != "format=json" {
				t.Errorf("the query is %q", r.URL.RawQuery)
			}
			_, _ = w.Write(figures().JSON())
		}, ""},
		"refused":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sluice: no \x1b[m\nx", 400) }, `the program says: no \x1b[m`},
		"missing":  {http.NotFound, "status 404"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) }, "status 302"},
		"page":     {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "something else"},
		"json":     {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }, "something else"},
		"abort":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no answer: "},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			f, err := Fetch(t.Context(), server.URL+"/debug/sluice/")
			switch {
			case c.want == "" && (err != nil || f.PID != 4711 || len(f.Files) != 20):
				t.Errorf("Fetch = %+v, %v; want the figures", f, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Fetch = %v; want %q", err, c.want)
			}
		})
	}
}

// TestScreen presses keys and resizes the terminal.
func TestScreen(t *testing.T) {
	asked := 0
	s := &screen{ctx: t.Context(), width: 80, height: 24, fetch: func(context.Context) (*live.Figures, error) {
		asked++
		return figures(), nil
	}}
	answerOf := func(c tea.Cmd) tea.Msg {
		t.Helper()
		if c == nil {
			t.Fatal("nothing is asked")
		}
		return c()
	}
	send := func(m tea.Msg) tea.Cmd {
		_, c := s.Update(m)
		return c
	}
	if !strings.Contains(s.View().Content, "asking") {
		t.Errorf("the first screen is %q", s.View().Content)
	}
	send(answerOf(s.Init()))
	if !strings.Contains(s.View().Content, "nvme0n1") || strings.Count(s.View().Content, "\n") != 23 || !s.View().AltScreen {
		t.Errorf("the screen is %q", s.View().Content)
	}
	send(tea.WindowSizeMsg{Width: 40, Height: 10})
	if n := strings.Count(s.View().Content, "\n"); n != 9 {
		t.Errorf("a screen of 10 lines has %d", n+1)
	}
	send(tea.KeyPressMsg{Code: ' ', Text: " "})
	if c := send(again{}); c != nil || !strings.Contains(s.View().Content, "paused") {
		t.Error("it goes on when it is paused")
	}
	next := send(tea.KeyPressMsg{Code: ' ', Text: " "})
	if c := send(again{}); c != nil {
		t.Error("two questions are asked at once")
	}
	send(answerOf(next))
	if asked != 2 {
		t.Errorf("%d questions were asked; want 2", asked)
	}
	if _, quits := answerOf(send(tea.KeyPressMsg{Code: 'q', Text: "q"})).(tea.QuitMsg); !quits {
		t.Error("q does not end it")
	}
	gone := errors.New("gone")
	if _, quits := answerOf(send(answer{err: gone})).(tea.QuitMsg); !quits || s.err != gone {
		t.Errorf("a program that is gone leaves the error %v", s.err)
	}
}

// TestKeys: the JSON of package live has the keys of its struct.
func TestKeys(t *testing.T) {
	want := figures()
	var got live.Figures
	if err := json.Unmarshal(want.JSON(), &got); err != nil {
		t.Fatal(err)
	}
	if got.FilesLeft != want.FilesLeft || got.Devices[0] != want.Devices[0] || got.Kinds[1] != want.Kinds[1] || got.Paths[1] != want.Paths[1] {
		t.Errorf("read %+v; want %+v", got, want)
	}
}
