package getopt

import (
	"slices"
	"strings"
	"testing"
)

// given returns options that append their names and arguments to log.
func given(log *[]string) []Option {
	note := func(name string) func(*string) error {
		return func(arg *string) error {
			text := name
			if arg != nil {
				text += "=" + *arg
			}
			*log = append(*log, text)
			return nil
		}
	}
	return []Option{
		{Short: 'r', Long: "recursive", Set: note("r")},
		{Short: 't', Long: "target", Arg: Required, Set: note("t")},
		{Long: "sparse", Arg: Optional, Set: note("sparse")},
		{Long: "backup", Arg: Optional, Set: note("backup")},
		{Long: "back", Own: true, Set: note("back")},
		{Long: "block", Own: true, Set: note("block")},
		{Long: "blue", Own: true, Set: note("blue")},
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args      string
		stopEarly bool
		want      string // the options that were set, a bar, the operands
		err       string
	}{
		{args: "a -r b", want: "r | a b"},
		{args: "a -r b", stopEarly: true, want: "| a -r b"},
		{args: "-r a -- -r", want: "r | a -r"},
		{args: "-rtdir a", want: "r t=dir | a"},
		{args: "-rt dir - a", want: "r t=dir | - a"},
		{args: "--target dir --rec a", want: "t=dir r | a"},
		{args: "--tar=dir --sparse x", want: "t=dir sparse | x"},
		{args: "--sparse= --sp=a=b", want: "sparse= sparse=a=b |"},
		{args: "--b", want: "backup |"}, // an abbreviation of the imitated program
		{args: "--back", want: "back |"},
		{args: "--bloc", want: "block |"},
		{args: "--bl", err: "option '--bl' is ambiguous; possibilities: '--block' '--blue'"},
		{args: "-rx", err: "invalid option -- 'x'"},
		{args: "-rt", err: "option requires an argument -- 't'"},
		{args: "--target", err: "option '--target' requires an argument"},
		{args: "--recursive=", err: "option '--recursive' doesn't allow an argument"},
		{args: "--nothing=x", err: "unrecognized option '--nothing=x'"},
	} {
		var log []string
		operands, err := Parse(strings.Fields(test.args), given(&log), test.stopEarly)
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%q: error %v; want %s", test.args, err, test.err)
			}
			continue
		}
		got := strings.TrimSpace(strings.Join(slices.Concat(log, []string{"|"}, operands), " "))
		if err != nil || got != test.want {
			t.Errorf("%q: %s, %v; want %s", test.args, got, err, test.want)
		}
	}
}
