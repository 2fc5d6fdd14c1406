package gnucp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/getopt"
)

func TestHelpFits(t *testing.T) {
	for line := range strings.Lines(helpText) {
		if len(line) > 80+len("\n") {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

// TestHelpNamesAll checks that the help lists exactly the flags that exist.
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

// TestHelpValues checks that the help and the parser agree on which long flags take a value.
func TestHelpValues(t *testing.T) {
	s := &settings{}
	args := map[string]getopt.Arg{}
	for _, o := range append(s.gnuFlags(), s.ownFlags()...) {
		if o.Long != "" {
			args["--"+o.Long] = o.Arg
		}
	}
	const line = `(?m)^  (?:-[a-zA-Z], (?:-[a-zA-Z], )?|    )(--[a-z-]+)(\[=[A-Za-z|]+\])?(=[A-Z]+)?(?:, (--[a-z-]+))?(?: |$)`
	for _, m := range regexp.MustCompile(line).FindAllStringSubmatch(helpText, -1) {
		want := getopt.None
		switch {
		case m[2] != "":
			want = getopt.Optional
		case m[3] != "":
			want = getopt.Required
		}
		for _, name := range []string{m[1], m[4]} {
			if arg, ok := args[name]; name != "" && (!ok || arg != want) {
				t.Errorf("%s: argument %d in the help, %d in the parser (which has it: %t)", name, want, arg, ok)
			}
			delete(args, name)
		}
	}
	for name := range args {
		t.Errorf("no line of the help begins with %s", name)
	}
}
