package getopt

import (
	"slices"
	"strings"
	"testing"
)

// FuzzParse checks that a command line keeps its meaning when it is rewritten with whole long
// options and all operands at the end.
func FuzzParse(f *testing.F) {
	for _, args := range []string{"a -r b", "-rtdir a", "--tar=dir --sparse x", "--sparse= --sp=a=b", "-rt dir - -- -r", "--bl", "-t"} {
		f.Add(strings.ReplaceAll(args, " ", "\x00"), false)
		f.Add(strings.ReplaceAll(args, " ", "\x00"), true)
	}
	names := strings.NewReplacer("r", "recursive", "t", "target")
	f.Fuzz(func(t *testing.T, line string, stopEarly bool) {
		var log []string
		operands, err := Parse(strings.Split(line, "\x00"), given(&log), stopEarly)
		if err != nil {
			return
		}
		var args []string
		for _, entry := range log {
			name, arg, found := strings.Cut(entry, "=")
			if len(name) == 1 {
				name = names.Replace(name)
			}
			if found {
				name += "=" + arg
			}
			args = append(args, "--"+name)
		}
		var again []string
		got, err := Parse(append(append(args, "--"), operands...), given(&again), stopEarly)
		if err != nil || !slices.Equal(again, log) || !slices.Equal(got, operands) {
			t.Errorf("%q has options %q and operands %q; as %q it has %q and %q, %v", line, log, operands, args, again, got, err)
		}
	})
}
