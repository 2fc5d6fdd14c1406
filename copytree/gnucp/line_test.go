package gnucp

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	start := time.Now()
	var r rates
	r.add(start, state{})
	s := state{files: 100, bytes: 10 << 20, found: 400, foundBytes: 40 << 20, counted: true, current: "photos/2024/a-name-that-is-long/and-longer/img_0001.jpg"}
	r.add(start.Add(2*time.Second), s)
	walking := s
	walking.counted, walking.failed = false, 3
	many := s
	many.failed = 1234
	for _, test := range []struct {
		state state
		width int
		want  string
	}{
		{s, 101, "25%, 100/400 files, 10 MiB/40 MiB, 5 MiB/s, 0:06 left  photos/2024/a-...long/and-longer/img_0001.jpg"},
		{s, 80, "25%, 100/400 files, 10 MiB/40 MiB, 5 MiB/s, 0:06 left  photos/...r/img_0001.jpg"},
		{s, 60, "25%, 100/400 files, 10 MiB/40 MiB, 5 MiB/s, 0:06 left"},
		{s, 40, "25%, 100/400 files, 5 MiB/s, 0:06 left"},
		{s, 30, "25%, 5 MiB/s, 0:06 left"},
		{s, 20, "25%, 0:06 left"},
		{s, 8, "25%"},
		{s, 1, ""},
		{many, 40, "25%, 5 MiB/s, 0:06 left, 1234 failed"},
		{walking, 80, "100/400+ files, 10 MiB, 5 MiB/s, 3 failed  photos/2024...nd-longer/img_0001.jpg"},
		{walking, 40, "100/400+ files, 5 MiB/s, 3 failed"},
		{state{files: 5, syncing: true, synced: 2, toSync: 9}, 80, "5 files copied, syncing 2/9"},
		{state{files: 5, syncing: true}, 80, "5 files copied, syncing"},
	} {
		if got := test.state.line(&r, test.width); got != test.want || columns(got) >= test.width {
			t.Errorf("width %d: %q; want %q", test.width, got, test.want)
		}
	}
}

// TestRatesForget checks that the rate falls to the slow one after a copy was slow for the window's
// length.
func TestRatesForget(t *testing.T) {
	start := time.Now()
	var r rates
	bytes := int64(0)
	for i := range 200 {
		speed := int64(100 << 20)
		if i >= 100 {
			speed = 1 << 20
		}
		bytes += speed / 10
		r.add(start.Add(time.Duration(i)*tickEvery), state{bytes: bytes})
	}
	if got := r.bytes(); got > 1.01*(1<<20) || got < 0.99*(1<<20) {
		t.Errorf("rate is %.0f bytes a second; want 1 MiB", got)
	}
}

func TestShowNameObeysNothing(t *testing.T) {
	if got := showName("a\x1b[31m\n\xff"); !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("showName = %q", got)
	}
}

func TestShortenWide(t *testing.T) {
	for width := range 30 {
		if got := shorten("目录/文件名很长很长.txt", width); columns(got) > width {
			t.Errorf("shorten to %d is %q, %d columns", width, got, columns(got))
		}
	}
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0:00", 7 * time.Second: "0:07", 754 * time.Second: "12:34", time.Hour + 2*time.Minute + 3*time.Second: "1:02:03",
	} {
		if got := clock(d); got != want {
			t.Errorf("clock(%v) = %s; want %s", d, got, want)
		}
	}
}
