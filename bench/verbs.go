package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/report"
)

// verbs are the first arguments that do not measure, with the flags that affect each. No experiment
// has the name of a verb.
var verbs = map[string][]string{
	"list":    nil,
	"report":  nil,
	"compare": {"compare", "fail-below"},
}

// verb returns the verb of this command line, or "" for a measurement.
func (c *Command) verb() string {
	if c.Compare {
		return "compare"
	}
	if len(c.Experiments) > 0 {
		if _, ok := verbs[c.Experiments[0]]; ok {
			return c.Experiments[0]
		}
	}
	return ""
}

// runVerb runs the verb. A flag without an effect is an error.
func (c *Command) runVerb(ctx context.Context, s cli.Streams, flags []string) error {
	verb := c.verb()
	for _, flag := range flags {
		if !slices.Contains(verbs[verb], flag) {
			return cli.UsageError{Err: fmt.Errorf("%s: --%s has no effect on it; want it left out", verb, flag)}
		}
	}
	switch verb {
	case "report":
		return c.redraw(ctx)
	case "compare":
		return c.compare(ctx, s)
	}
	if len(c.Experiments) > 1 {
		return cli.UsageError{Err: fmt.Errorf("list: %s is an argument too many; want sluice bench list", report.Quote(c.Experiments[1]))}
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
