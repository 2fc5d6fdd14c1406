package depths

import (
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/report"
)

// TestNarrowText checks that the table and its bars fit a narrow terminal, and that nothing is
// lost there.
func TestNarrowText(t *testing.T) {
	t.Cleanup(func() { report.SetWidth(80) })
	c := Curve{Size: SmallSize, Points: []Point{{Depth: 1, Rate: 5000}, {Depth: 64, Rate: 100_000}}}
	for _, width := range []int{30, 40, 80} {
		report.SetWidth(width)
		text := c.Text()
		for line := range strings.Lines(text) {
			if len(line) > width+len("\n") {
				t.Errorf("%d columns are too many for %d: %q", len(line)-1, width, line)
			}
		}
		for _, want := range []string{"reads/s", strings.Repeat("#", min(width-2, 40)), "<- enough"} {
			if !strings.Contains(text, want) {
				t.Errorf("on %d columns %q is not in\n%s", width, want, text)
			}
		}
		if strings.Contains(text, "\n\n\n") {
			t.Errorf("on %d columns the head has empty lines:\n%s", width, text)
		}
	}
}
