package cp

import (
	"regexp"
	"strings"
	"testing"
)

func TestHelpFits(t *testing.T) {
	for line := range strings.Lines(helpText) {
		if len(line) > 80+len("\n") {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

// TestHelpNamesAll checks that the help lists every flag, and nothing else.
func TestHelpNamesAll(t *testing.T) {
	s := &settings{}
	known := map[string]bool{}
	for _, o := range append(s.gnuFlags(), s.ownFlags()...) {
		if o.Long != "" {
			known["--"+o.Long] = true
		}
		if o.Short != 0 {
			known["-"+string(o.Short)] = true
		}
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile(`(?m)(?:^|[ ,])(--?[a-zA-Z][a-z-]*)`).FindAllStringSubmatch(helpText, -1) {
		named[name[1]] = true
	}
	for name := range known {
		if !named[name] {
			t.Errorf("the help does not name %s", name)
		}
	}
	for name := range named {
		if !known[name] && name != "-dR" {
			t.Errorf("the help names %s, which there is not", name)
		}
	}
}
