package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// verbs are what bench does beside measuring, by its first argument, with the flags
// that they know. No experiment is called so.
var verbs = map[string][]string{
	"list":    nil,
	"report":  nil,
	"compare": {"compare", "fail-below"},
}

// verb returns what is asked for instead of a measurement, "" if nothing is.
func (b *benchCmd) verb() string {
	if b.Compare {
		return "compare"
	}
	if len(b.Experiments) > 0 {
		if _, ok := verbs[b.Experiments[0]]; ok {
			return b.Experiments[0]
		}
	}
	return ""
}

// runVerb runs the verb. A flag that would have no effect is an error.
func (b *benchCmd) runVerb(s streams, flags []string) error {
	verb := b.verb()
	for _, flag := range flags {
		if !slices.Contains(verbs[verb], flag) {
			return usageError{fmt.Errorf("%s: --%s has no effect on it; want it left out", verb, flag)}
		}
	}
	switch verb {
	case "report":
		return b.redraw()
	case "compare":
		return b.compare(s)
	}
	if len(b.Experiments) > 1 {
		return usageError{fmt.Errorf("list: %s is an argument too many; want sluice bench list", quote(b.Experiments[1]))}
	}
	return listExperiments(s)
}

// flagsOf returns the names of the flags that were given.
func flagsOf(line *kong.Context) (names []string) {
	for _, p := range line.Path {
		if p.Flag != nil {
			names = append(names, p.Flag.Name)
		}
	}
	return names
}
