package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	for _, test := range []struct{ name, got, want string }{
		{"Count", Count(0.0), "0"},
		{"Count", Count(3.14159), "3.14"},
		{"Count", Count(987.4), "987"},
		{"Count", Count(999.6), "1.00k"},
		{"Count", Count(20449.0), "20.4k"},
		{"Count", Count(999_499.0), "999k"},
		{"Count", Count(1.5e6), "1.50M"},
		{"Count", Count(2.5e9), "2.50G"},
		{"Count", Count(math.NaN()), "-"},
		{"Ratio", Ratio(0.946), "0.95"},
		{"Ratio", Ratio(123.4), "123"},
		{"Ratio", Ratio(12345.6), ">999"},
		{"Ratio", Ratio(math.NaN()), "-"},
		{"Percent", Percent(0.126), "13 %"},
		{"Micros", Micros(1234 * time.Nanosecond), "1.23"},
		{"Micros", Micros(65 * time.Millisecond), "65000"},
		{"Bytes", Bytes(512), "512 B"},
		{"Bytes", Bytes(4096), "4 KiB"},
		{"Bytes", Bytes(3 << 29), "1.5 GiB"},
	} {
		if test.got != test.want {
			t.Errorf("%s = %q; want %q", test.name, test.got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{
		{Head: "kind", Width: 6},
		{Head: "ops/s\nratio", Width: 5, Align: Right},
		{Head: "threads", Width: 7, Align: Right},
	}
	got := table.Header() + table.Row("read", "1.05", "8") + table.Row("write")
	want := `        ops/s
kind    ratio  threads
----------------------
read     1.05        8
write
`
	if got != want {
		t.Errorf("table is\n%s\nwant\n%s", got, want)
	}
}

func TestWrap(t *testing.T) {
	text := Wrap(strings.Repeat("word ", 40))
	for line := range strings.Lines(text) {
		if n := len(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("line of %d columns: %q", n, line)
		}
	}
	if got := strings.Join(strings.Fields(text), " "); got != strings.TrimSpace(strings.Repeat("word ", 40)) {
		t.Errorf("Wrap changed the words to %q", got)
	}
	if got, want := Hang("- ", "  ", "a b"), "- a b\n"; got != want {
		t.Errorf("Hang = %q; want %q", got, want)
	}
}

func TestScreenInAPipe(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out, nil, 0)
	s.Expect(2)
	s.Step("something")
	if err := s.Print("result\n"); err != nil {
		t.Fatal(err)
	}
	s.Done(1)
	s.Clear()
	if out.String() != "result\n" {
		t.Errorf("pipe has %q; want nothing but the result", &out)
	}
}

func TestScreenOnATerminal(t *testing.T) {
	var tty bytes.Buffer
	s := NewScreen(&tty, &tty, 20)
	s.Expect(2)
	s.Step("a label that is longer than the terminal")
	_ = s.Print("result\n")
	s.Clear()
	const clear = "\r\x1b[K"
	line := "[1/2] a label that "
	if want := clear + line + clear + "result\n" + clear + line + clear; tty.String() != want {
		t.Errorf("terminal has %q; want %q", &tty, want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestScreenReportsErrors(t *testing.T) {
	if err := NewScreen(brokenPipe{}, nil, 0).Print("x"); err == nil {
		t.Error("Print = nil; want the error of the writer")
	}
}

// TestWidth has a narrow terminal, and no terminal.
func TestWidth(t *testing.T) {
	t.Cleanup(func() { SetWidth(prose) })
	table := Table{{Head: "name", Width: 6}, {Head: "a\ncount", Width: 5, Align: Right}, {Head: "rate", Width: 6, Align: Right}, {Head: "", Width: 4}}
	text := func() string {
		return Hang("ok  name      ", "              ", "some words that follow") + Wrap("one paragraph of several words") +
			table.Header() + table.Row("one", "1", "2.00", "more") + table.Row("two", "1")
	}
	for width, want := range map[int]string{
		0: "ok  name      some words that follow\none paragraph of several words\n" +
			"            a\nname    count    rate\n---------------------------\none         1    2.00  more\ntwo         1\n",
		20: "ok  name      some\n    words that\n    follow\none paragraph of\n  several words\n" +
			"            a\nname    count\n    rate\n--------------------\none         1\n    2.00  more\ntwo         1\n",
	} {
		SetWidth(width)
		if got := text(); got != want {
			t.Errorf("on %d columns:\n%s\nwant:\n%s", width, got, want)
		}
	}
	SetWidth(300)
	if Fits(81) || !Fits(80) {
		t.Error("text on a wide terminal has more than 80 columns")
	}
}
