package cp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/cmd/sluice/internal/getopt"
)

func TestHelpFits(t *testing.T) {
	for line := range strings.Lines(helpText) {
		if len(line) > helpWidth+len("\n") {
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

// TestManual checks that the description has each flag, with its value, as the parser does.
func TestManual(t *testing.T) {
	s := &settings{}
	args := map[string]getopt.Arg{}
	for _, o := range append(s.gnuFlags(), s.ownFlags()...) {
		if o.Long != "" {
			args["--"+o.Long] = o.Arg
		}
		if o.Short != 0 {
			args["-"+string(o.Short)] = o.Arg
		}
	}
	for _, f := range Manual("").Flags {
		if f.Help == "" || f.Group == "" {
			t.Errorf("%v has help %q in group %q; want both", f.Names, f.Help, f.Group)
		}
		for _, name := range f.Names {
			arg, ok := args[name]
			if !ok {
				t.Errorf("the manual has %s, which there is not, or twice", name)
			}
			delete(args, name)
			want := map[getopt.Arg]bool{getopt.Optional: f.Value != "" && f.Optional, getopt.Required: f.Value != "" && !f.Optional, 0: f.Value == ""}
			if strings.HasPrefix(name, "--") && !want[arg] { // -b has no value, --backup has
				t.Errorf("%s has the value %q (optional: %t); the parser differs", name, f.Value, f.Optional)
			}
		}
	}
	for name := range args {
		t.Errorf("the manual lacks %s", name)
	}
}
