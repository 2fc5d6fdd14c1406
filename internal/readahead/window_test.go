package readahead

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/golden"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// TestGolden plays each script in testdata and compares the Window's answers with the script. The
// first line of a script is
//
//	window START END SIZE COUNT
//
// The next lines are fetch (until nothing is due), consume, seek OFF, near OFF and restart START
// END.
func TestGolden(t *testing.T) {
	golden.Scripts(t, "testdata/*.txt", play)
}

// play returns the script with the Window's answers, each after a =.
func play(t *testing.T, script string) string {
	var out strings.Builder
	var w *Window
	for lines := bufio.NewScanner(strings.NewReader(script)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), " =")
		answer := ""
		var s Span
		var size, off int64
		var count int
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "window":
			scan(t, rest, &s.Start, &s.End, &size, &count)
			w = New(s, size, count)
		case "fetch":
			for s, ok := w.Fetch(); ok; s, ok = w.Fetch() {
				answer += fmt.Sprintf(" %d-%d", s.Start, s.End)
			}
			if answer == "" {
				answer = " nothing"
			}
			if w.Due() {
				t.Error("Due after all that was")
			}
		case "consume":
			s, _ := w.Oldest()
			w.Consumed()
			answer = fmt.Sprintf(" %d-%d", s.Start, s.End)
		case "seek":
			scan(t, rest, &off)
			answer = fmt.Sprintf(" drop %d", w.MoveTo(off))
		case "near":
			scan(t, rest, &off)
			answer = fmt.Sprintf(" %t", w.Near(off))
		case "restart":
			scan(t, rest, &s.Start, &s.End)
			w.Restart(s)
		default:
			t.Fatalf("%q is no instruction", line)
		}
		if answer != "" {
			line += " =" + answer
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

func scan(t *testing.T, s string, to ...any) {
	if _, err := fmt.Sscan(s, to...); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
}

// TestCoversTheSpan checks, for any sizes, that the fetches are the span, in order and without gap
// or overlap, and that the window never has more than count.
func TestCoversTheSpan(t *testing.T) {
	r := seed.Rand(t)
	for range 2000 {
		span := Span{Start: r.Int64N(100)}
		span.End = span.Start + r.Int64N(300)
		size, count := 1+r.Int64N(50), 1+r.IntN(6)
		w := New(span, size, count)
		at := span.Start
		open := 0
		for {
			for r.IntN(3) > 0 {
				if s, ok := w.Fetch(); ok {
					open++
					if s.Len() > size || s.Len() < 1 {
						t.Fatalf("span %v, size %d: fetch %v", span, size, s)
					}
				}
			}
			if open > count {
				t.Fatalf("%d open; want at most %d", open, count)
			}
			s, ok := w.Oldest()
			if !ok {
				if at >= span.End {
					break
				}
				continue
			}
			if s.Start != at {
				t.Fatalf("span %v, size %d: %v consumed at %d", span, size, s, at)
			}
			at = s.End
			w.Consumed()
			open--
		}
		if at != max(span.End, span.Start) {
			t.Fatalf("consumed up to %d; want %d", at, span.End)
		}
	}
}

func TestMisuse(t *testing.T) {
	for name, do := range map[string]func(){
		"size 0":                  func() { New(Span{0, 10}, 0, 1) },
		"count 0":                 func() { New(Span{0, 10}, 1, 0) },
		"negative start":          func() { New(Span{-1, 10}, 1, 1) },
		"consumed before fetched": func() { New(Span{0, 10}, 1, 1).Consumed() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}
