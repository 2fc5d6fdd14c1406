package main

import (
	"io"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/cli"
)

// TestClearly makes every kind of error that the flag library reports, and checks our
// message. It fails if a new version of the library has other messages.
func TestClearly(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"help"}, ""},
		{[]string{"help", "help"}, ""},
		{[]string{"nonsense"}, `unknown command "nonsense"; there are cp, bench, tune, doctor, trace, top, build, install, run, test, fix, overlay, completion, man and version`},
		{[]string{"help", "benhc"}, `unknown command "benhc"; did you mean bench?`},
		{[]string{""}, `unknown command ""; there are cp, bench, tune, doctor, trace, top, build, install, run, test, fix, overlay, completion, man and version`},
		{[]string{"\x1b[31m\n"}, `unknown command "\x1b[31m\n"; there are cp, bench, tune, doctor, trace, top, build, install, run, test, fix, overlay, completion, man and version`},
		{[]string{"--"}, `a command is missing; there are cp, bench, tune, doctor, trace, top, build, install, run, test, fix, overlay, completion, man and version`},
		{[]string{"trace"}, `trace: a command is missing; there are summary, view, export and record`},
		{[]string{"trace", "viwe"}, `trace: unknown command "viwe"; did you mean view?`},
		{[]string{"trace", "export"}, `trace export: <file> and <out> are missing; usage: sluice trace export <file> <out> [flags]`},
		{[]string{"trace", "export", "a"}, `trace export: <out> is missing; usage: sluice trace export <file> <out> [flags]`},
		{[]string{"trace", "summary", "a", "b"}, `trace summary: "b" is an argument too many; usage: sluice trace summary <file>`},
		{[]string{"overlay"}, `overlay: --output=DIR is missing; see sluice help overlay`},
		{[]string{"bench", "--full", "fig6", "--fio", "wal"}, `bench: flags are between the arguments and "wal"; want all arguments together; usage: sluice bench [<experiment> ...] [flags]`},
		{[]string{"bench", "--nonsense"}, `bench: unknown flag --nonsense; see sluice help bench`},
		{[]string{"bench", "--roundz", "3"}, `bench: unknown flag --roundz; did you mean --rounds?`},
		{[]string{"trace", "record", "--outptu", "x", "y"}, `trace record: unknown flag --outptu; did you mean --output?`},
		{[]string{"trace", "export", "a", "-o", "b"}, `trace export: unknown flag -o; see sluice help trace export`},
		{[]string{"bench", "--json="}, `--json: the value is empty; want one, or the flag left out`},
		{[]string{"bench", "matrix", "--procs="}, `--procs: the value is empty; want one, or the flag left out`},
		{[]string{"bench", "cp-small", "--mode", ""}, `--mode: the value is empty; want one, or the flag left out`},
		{[]string{"trace", "view", "a", "-o", ""}, `--output: the value is empty; want one, or the flag left out`},
		{[]string{"bench", "--ful"}, `bench: unknown flag --ful; did you mean --full, --fio or --fs?`},
		{[]string{"--x\x1b"}, `unknown flag --x\x1b; see sluice help`},
		{[]string{"bench", "--rounds"}, `--rounds: the value after it is missing`},
		{[]string{"bench", "--json"}, `--json: the value after it is missing`},
		{[]string{"bench", "--cells"}, `--cells: the value after it is missing`},
		{[]string{"tune", "--size"}, `--size: the value after it is missing`},
		{[]string{"tune", "--time", "--save"}, `--time: the value after it is missing; "--save" looks like a flag (--time=--save if it is the value)`},
		{[]string{"bench", "--seed", "-1"}, `--seed: the value after it is missing; "-1" looks like a flag (--seed=-1 if it is the value)`},
		{[]string{"bench", "--rounds", "1e3"}, `--rounds: "1e3" is not a whole number, or too large`},
		{[]string{"bench", "--seed=-1"}, `--seed: "-1" is not a whole number, or too large`},
		{[]string{"bench", "--fail-below", "x"}, `--fail-below: "x" is not a number`},
		{[]string{"tune", "--time", "3"}, `--time: "3" is not a duration; want a number and a unit, as in 300ms or 2s`},
		{[]string{"bench", "--full=maybe"}, `--full: "maybe" is neither true nor false; the flag alone turns it on`},
		{[]string{"completion", "tcsh"}, `<shell>: "tcsh" is not known; there are bash, zsh and fish`},
		{[]string{"completion"}, `completion: <shell> is missing; usage: sluice completion <shell>`},
		{[]string{"tune", "--size", "x"}, `--size: "x" is not a size; want a number of bytes, as in 512m or 1g`},
	} {
		got := ""
		if _, err := parse(usualArgs(test.args), cli.Streams{Out: io.Discard, Err: io.Discard}); err != nil {
			got = sentence(err)
		}
		if got != test.want {
			t.Errorf("%q: %s\nwant %s", test.args, got, test.want)
		}
	}
}

// TestNoCommand checks that the help is on stderr, with status 2, if there is no command, and on
// stdout if it is asked for.
func TestNoCommand(t *testing.T) {
	var help, empty, asked strings.Builder
	if status := run(nil, &empty, &help); status != 2 || empty.Len() > 0 {
		t.Errorf("without arguments: status %d, %q on stdout; want 2, nothing", status, empty.String())
	}
	if status := run([]string{"help"}, &asked, &empty); status != 0 || empty.Len() > 0 {
		t.Errorf("help: status %d, %q on stderr; want 0, nothing", status, empty.String())
	}
	if help.String() != asked.String() || help.Len() == 0 {
		t.Errorf("without arguments: %q; want %q", help.String(), asked.String())
	}
}
