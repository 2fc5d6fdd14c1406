package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/bench/outcomes"
	"github.com/sluiceio/sluice/internal/stress"
)

// suite has the tests of one package.
type suite struct {
	name                  string
	plain, sluice, stress side
}

// runner runs the tests whose names match a pattern on one side.
type runner func(pattern string) (*result, error)

func (s side) runner(ctx context.Context, o options) runner {
	return func(pattern string) (*result, error) { return s.run(ctx, pattern, o.timeout) }
}

// judge runs a suite and prints the results. differ reports whether any test differs.
func (s *suite) judge(ctx context.Context, o options) (differ bool, err error) {
	sides := []side{s.plain}
	if o.off {
		sides[0].driver = "off"
	}
	for _, driver := range o.drivers {
		v := s.sluice
		if driver == stressSide {
			v = s.stress
			v.stress = stress.Value(o.seed, o.shortReads)
		}
		v.driver = driver
		switch why, err := v.missing(ctx); {
		case err != nil:
			return false, fmt.Errorf("%s: %w", s.name, err)
		case why != "":
			fmt.Printf("%-44s %-6s NOT RUN: %s\n", s.name, driver, why)
		default:
			sides = append(sides, v)
		}
	}
	results, err := runAll(ctx, sides, o)
	if err != nil {
		return false, err
	}
	for i, r := range results {
		name := "plain"
		if i > 0 {
			name = sides[i].driver
		}
		fmt.Printf("%-44s %-6s %s, %.0f s\n", s.name, name, r.outcome, r.took.Seconds())
		if name == stressSide {
			fmt.Printf("  %v\n", r.counts)
		}
		left, err := settle(results[0], r, sides[0].runner(ctx, o), sides[i].runner(ctx, o), o.tries, printf)
		if err != nil {
			return false, err
		}
		differ = differ || len(left) > 0
	}
	return differ, nil
}

func printf(format string, args ...any) { fmt.Printf(format, args...) }

// runAll runs the sides, one after the other or at once.
func runAll(ctx context.Context, sides []side, o options) ([]*result, error) {
	results, errs := make([]*result, len(sides)), make([]error, len(sides))
	var running sync.WaitGroup
	for i, v := range sides {
		running.Go(func() { results[i], errs[i] = v.run(ctx, "", o.timeout) })
		if !o.once {
			running.Wait()
		}
	}
	running.Wait()
	return results, errors.Join(errs...)
}

// String returns the counts.
func (o outcome) String() string {
	n := make(map[string]int)
	for name, came := range o {
		if name != whole {
			n[came]++
		}
	}
	text := fmt.Sprintf("%5d passed %3d failed %3d skipped", n["PASS"], n["FAIL"], n["SKIP"])
	if n["FAIL"] == 0 && o[whole] == "FAIL" {
		text += ", and failed as a whole"
	}
	return text
}

// many is the number of differing tests that are printed.
const many = 30

// settle repeats the tests that differ between want and got on both sides, at most tries times. It
// returns the tests that differ each time.
func settle(want, got *result, plain, ours runner, tries int, print func(format string, args ...any)) ([]string, error) {
	left := outcomes.Differences(want.outcome, got.outcome)
	for i, name := range left {
		if i == many {
			print("  … and %d more\n", len(left)-many)
			break
		}
		print("  differs: %s: plain %s, here %s\n", name, outcomes.Or(want.outcome[name]), outcomes.Or(got.outcome[name]))
	}
	show(left, got, print)
	for try := 1; try <= tries && len(left) > 0; try++ {
		a, err := plain(pattern(left))
		if err != nil {
			return nil, err
		}
		b, err := ours(pattern(left))
		if err != nil {
			return nil, err
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(name string) bool {
			return a.outcome[name] != "" && a.outcome[name] == b.outcome[name]
		})
		print("  run again on both sides, %d of %d: %d of %d differ\n", try, tries, len(left), before)
	}
	for _, name := range left {
		print("  DIFFERENCE: %s\n", name)
	}
	return left, nil
}

// pattern returns a regular expression for the top-level tests of names. If only the whole binary
// failed it returns "", which matches all tests.
func pattern(names []string) string {
	top := make(map[string]bool)
	for _, name := range names {
		if name != whole {
			top[regexp.QuoteMeta(strings.Split(name, "/")[0])] = true
		}
	}
	if len(top) == 0 {
		return ""
	}
	return "^(" + strings.Join(slices.Sorted(maps.Keys(top)), "|") + ")$"
}

// most is the length of a test's output that is printed.
const most = 4 << 10 // 4 KiB

// show prints the output of failed tests.
func show(names []string, got *result, print func(format string, args ...any)) {
	for _, name := range names {
		said := got.said[name]
		if name == whole {
			said = got.said[""]
		}
		if got.outcome[name] != "FAIL" || said == "" {
			continue
		}
		if len(said) > most {
			said = said[:most/2] + "\n[…]\n" + said[len(said)-most/2:]
		}
		print("  output of %s on our side:\n%s\n", name, said)
	}
}
