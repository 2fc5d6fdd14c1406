package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

var (
	fuzzedCommands = flag.Int("cp.commands", 300, "random commands of cp that TestCpFuzz plays")
	fuzzedFailures = flag.Int("cp.failures", 3, "failing scenes after which TestCpFuzz ends")
	fuzzedPlace    = flag.String("cp.place", "", "where TestCpFuzz plays: memory, or a file system of package places; \"\" is where temporary files are")
)

// fuzzed is what a scene of the fuzzer has made.
type fuzzed struct {
	output []string
	tree   map[string]string
}

// player plays a scene in an empty directory.
type player func(t *testing.T, s scene) fuzzed

func byCommand(command string) player {
	return func(t *testing.T, s scene) fuzzed {
		output, dir := play(t, s, command)
		defer removeAll(dir)
		f := fuzzed{output, map[string]string{}}
		if slices.ContainsFunc(output, func(line string) bool { return len(line) > 2000 }) {
			return f // of a copy into itself without end: the tree cannot be walked
		}
		// With --parents, a name may have the directory's own in it
		for name, text := range snapshot(t, dir) {
			f.tree[strings.ReplaceAll(name, strings.TrimPrefix(dir, "/"), "DIR")] = text
		}
		return f
	}
}

// fuzzing is a run of the fuzzer, with the two commands that it compares.
type fuzzing struct {
	*testing.T
	gnu, ours player
	place     string
}

func newFuzzing(t *testing.T) *fuzzing {
	if version := gnuVersion(); version < 9 {
		skip.Forf(t, skip.GNU, "cp is GNU's %v; want 9 or later", version)
	}
	z := &fuzzing{T: t, gnu: byCommand("command cp"), ours: byCommand(ownCommand(t) + " cp")}
	if *fuzzedPlace != "" {
		if *fuzzedPlace == "memory" {
			z.place = places.Memory(t)
		} else {
			z.place = places.FileSystems[*fuzzedPlace](t, 96<<20) // 96 MiB
		}
		letIn(t, z.place)
	}
	return z
}

// TestCpFuzz plays random scenes with GNU cp and with sluice cp: the output, the status and the
// resulting files are the same, but for the rules in fuzzRules.
func TestCpFuzz(t *testing.T) {
	z := newFuzzing(t)
	start, failures := seed.Of(t), 0
	for n, i := 0, uint64(0); n < *fuzzedCommands && failures < *fuzzedFailures; i++ {
		f := newFuzzer(start, i)
		setup, commands := f.scene()
		n += len(commands)
		difference := z.differ(f.root, setup, commands)
		// Once more: what commands have made one after the other may have equal times, or not
		if difference != "" {
			difference = z.differ(f.root, setup, commands)
		}
		if difference == "" {
			continue
		}
		failures++
		setup, commands = z.shrink(f.root, setup, commands)
		t.Errorf("scene %d:\n%s\n%s", i, sceneText(f.root, setup, commands), z.differ(f.root, setup, commands))
	}
	t.Logf("figure: %d commands", *fuzzedCommands)
}

// newFuzzer returns the fuzzer of the scene i. Every fourth scene is nobody's.
func newFuzzer(start, i uint64) *fuzzer {
	return &fuzzer{rand.New(rand.NewPCG(start, i)), os.Geteuid() == 0 && i%4 != 0}
}

// sceneText returns a scene as testdata/cp has it.
func sceneText(root bool, setup, commands []string) string {
	text := "== found by TestCpFuzz\n"
	if !root {
		text += "% as nobody\n"
	}
	return text + strings.Join(setup, "\n") + "\n$ " + strings.Join(commands, "\n$ ")
}

// differ plays a scene with both, and returns how they differ, "" if they do not.
func (z *fuzzing) differ(root bool, setup, commands []string) string {
	s := scene{name: "fuzzed", place: z.place}
	if !root {
		s.as = "nobody"
	}
	// Links to .. do not lead out of the test's directory, which root could change. What no step
	// has given a time has the same one: -u compares them.
	s.setup = "mkdir -p " + here + "; cd " + here + "\nexec 3>&2 2>/dev/null\n" + strings.Join(setup, "\n") +
		"\nfind . -depth -newermt 2010-01-01 -exec touch -hd 2004-05-06 {} +\nexec 2>&3 3>&-\n"
	// A FIFO may be read or written all the same. GNU cp that has waited for so long is not
	// compared.
	s.run = "waits=$CP; CP='timeout 20 '${waits#command }\n"
	for _, c := range commands { // messages are told from other output by their beginning
		s.run += "{ { " + c + "\necho status $? >&4; } 2>&1 >&4 | sed 's/^/E /'; } 4>&1\n"
	}
	gnu, ours := z.gnu(z.T, s), z.ours(z.T, s)
	if slices.Contains(gnu.output, "status 124") {
		return ""
	}
	for _, rule := range fuzzRules {
		if rule.meant(&gnu, &ours, strings.Join(commands, "\n")) {
			return ""
		}
	}
	return comparison(gnu, ours)
}

// comparison returns how what sluice cp has made differs from what GNU cp has.
func comparison(gnu, ours fuzzed) string {
	var b strings.Builder
	if !slices.Equal(gnu.output, ours.output) {
		fmt.Fprintf(&b, "sluice cp:\n%s\nGNU cp:\n%s\n", indent(ours.output), indent(gnu.output))
	}
	names := maps.Clone(gnu.tree)
	maps.Copy(names, ours.tree)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if gnu.tree[name] != ours.tree[name] {
			fmt.Fprintf(&b, "%q: sluice cp made %s; GNU cp %s\n", name, orNothing(ours.tree[name]), orNothing(gnu.tree[name]))
		}
	}
	return b.String()
}

// shrink leaves out commands, steps and words, as long as the two still differ.
func (z *fuzzing) shrink(root bool, setup, commands []string) (_, _ []string) {
	for again := true; again; {
		again = false
		commands = shorter(commands, &again, func(fewer []string) bool { return len(fewer) > 0 && z.differ(root, setup, fewer) != "" })
		setup = shorter(setup, &again, func(fewer []string) bool { return z.differ(root, fewer, commands) != "" })
		for i := range commands {
			words := shorter(strings.Fields(commands[i]), &again, func(fewer []string) bool {
				changed := slices.Clone(commands)
				changed[i] = strings.Join(fewer, " ")
				return len(fewer) > 0 && z.differ(root, setup, changed) != ""
			})
			commands[i] = strings.Join(words, " ")
		}
	}
	return setup, commands
}

// shorter leaves out what can be left out of list while differs is true of the rest.
func shorter(list []string, again *bool, differs func([]string) bool) []string {
	list = slices.Clone(list)
	for i := 0; i < len(list); {
		if fewer := slices.Delete(slices.Clone(list), i, i+1); differs(fewer) {
			list, *again = fewer, true
		} else {
			i++
		}
	}
	return list
}
