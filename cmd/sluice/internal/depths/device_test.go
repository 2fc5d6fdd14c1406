package depths

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func curve(size int, first time.Duration, rates ...float64) Curve {
	c := Curve{Size: size}
	for i, r := range rates {
		c.Points = append(c.Points, Point{Depth: 1 << i, Rate: r, P50: first << i})
	}
	return c
}

func TestResult(t *testing.T) {
	small := curve(SmallSize, 60*time.Microsecond, 16e3, 31e3, 55e3, 80e3, 90e3, 95e3, 96e3)
	large := curve(LargeSize, 200*time.Microsecond, 5e3, 6e3, 7e3, 6.9e3)
	m := Result(small, large, time.Unix(1e9, 5))
	// 90 % of 96,000 at 16 at once; of 7,000 at 4; 917 MB/s in 60 us are 55 KB.
	if m.Depth != 16 || m.Bytes != 1<<20 || m.Beside != 64<<10 || !m.Time.Equal(time.Unix(1e9, 0)) {
		t.Errorf("Result = %+v", m)
	}
	fast := curve(LargeSize, 50*time.Microsecond, 20e3, 40e3, 60e3)
	if m := Result(small, fast, time.Now()); m.Beside != 448<<10 { // 7.9 GB/s in 60 us
		t.Errorf("of a fast device: %+v", m)
	}
}

func TestText(t *testing.T) {
	text := curve(LargeSize, 200*time.Microsecond, 5e3, 6e3, 7e3, 6.9e3).Text()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > 81 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
		if at, enough := strings.HasPrefix(line, "    4 "), strings.Contains(line, "<- enough"); at != enough {
			t.Errorf("the mark is on the wrong line: %q", line)
		}
	}
}

// TestDevice measures a file, a millisecond for each point.
func TestDevice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	steps := 0
	small, large, err := Device(t.Context(), name, time.Millisecond, func(int, int) { steps++ })
	if err != nil || steps != Steps || len(small.Points)+len(large.Points) != Steps {
		t.Errorf("%d and %d points in %d steps, %v; want %d", len(small.Points), len(large.Points), steps, err, Steps)
	}
	if m := Result(small, large, time.Now()); small.Most() <= 0 || large.Most() <= 0 || m.Depth < 1 {
		t.Errorf("Result = %+v of %v, %v", m, small, large)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Device(ctx, name, time.Hour, func(int, int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
