package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// given returns a result with these outcomes, as in "A PASS B FAIL".
func given(text string) *result {
	r := &result{outcome: make(outcome), said: make(map[string]string)}
	for words := strings.Fields(text); len(words) > 1; words = words[2:] {
		r.outcome[words[0]] = words[1]
		r.said[words[0]] = words[0] + " said this\n"
	}
	return r
}

// TestSettle checks that a test only counts if it differs in every run.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name, want, got string
		plain, ours     []string // the repeated runs
		left, pattern   string
	}{
		{"equal", "A PASS B FAIL", "A PASS B FAIL", nil, nil, "", ""},
		{"fails each time", "A PASS", "A FAIL", []string{"A PASS", "A PASS"}, []string{"A FAIL", "A FAIL"}, "A", "^(A)$"},
		{"fails once here", "A PASS", "A FAIL", []string{"A PASS"}, []string{"A PASS"}, "", "^(A)$"},
		{"failed once there", "A FAIL", "A PASS", []string{"A PASS"}, []string{"A PASS"}, "", "^(A)$"},
		{"fails on both sides", "A PASS", "A FAIL", []string{"A PASS", "A FAIL"}, []string{"A FAIL", "A FAIL"}, "", "^(A)$"},
		{"one of two", "A PASS B/x PASS", "A FAIL B/x FAIL", []string{"A PASS B/x PASS", "A PASS"}, []string{"A FAIL B/x PASS", "A FAIL"}, "A", "^(A)$"},
		{"is not there", "A PASS B PASS", "A PASS", []string{"B PASS", "B PASS"}, []string{"", ""}, "B", "^(B)$"},
		{"is not there on either side", "B PASS", "", []string{"", ""}, []string{"", ""}, "B", "^(B)$"},
		{"the binary alone", "A PASS " + whole + " PASS", "A PASS " + whole + " FAIL", []string{whole + " PASS"}, []string{whole + " PASS"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := ""
			next := func(runs *[]string) runner {
				return func(pattern string) (*result, error) {
					if len(*runs) == 0 {
						return nil, fmt.Errorf("%q is run once more than expected", pattern)
					}
					r := given((*runs)[0])
					*runs, last = (*runs)[1:], pattern
					return r, nil
				}
			}
			var printed strings.Builder
			print := func(format string, args ...any) { fmt.Fprintf(&printed, format, args...) }
			left, err := settle(given(c.want), given(c.got), next(&c.plain), next(&c.ours), 2, print)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(left, " "); got != c.left || last != c.pattern {
				t.Errorf("settle = %q, the last run of %q; want %q, of %q", got, last, c.left, c.pattern)
			}
			if len(c.plain)+len(c.ours) > 0 {
				t.Errorf("runs that were not made: %q, %q", c.plain, c.ours)
			}
			if told := strings.Contains(printed.String(), "DIFFERENCE: "); told != (c.left != "") {
				t.Errorf("it printed %q", printed.String())
			}
		})
	}
}

// TestRead parses output of package testing, with a mark before each line of the package itself.
func TestRead(t *testing.T) {
	r := read("first\n\x16=== RUN   TestA\nin A\n\x16=== RUN   TestA/b c\n\x16=== NAME  TestA\nA again\n" +
		"no line feed\x16    --- FAIL: TestA/b_c (0.01s)\n        why\n\x16--- FAIL: TestA (0.02s)\n" +
		"\x16=== RUN   TestB\n\x16=== PAUSE TestB\n\x16=== CONT  TestB\n\x16--- SKIP: TestB (0.00s)\n    not now\n" +
		"\x16=== RUN   ExampleC\n--- FAIL: TestFake (0.00s)\n\x16--- PASS: ExampleC (0.00s)\n\x16=== NAME  \nlast\n")
	want := outcome{"TestA": "FAIL", "TestA/b_c": "FAIL", "TestB": "SKIP", "ExampleC": "PASS"}
	if !maps.Equal(r.outcome, want) {
		t.Errorf("outcome %v; want %v", map[string]string(r.outcome), map[string]string(want))
	}
	for name, said := range map[string]string{
		"": "first\nlast\n", "TestA": "in A\nA again\nno line feed", "TestA/b_c": "        why\n",
	} {
		if r.said[name] != said {
			t.Errorf("%q said %q; want %q", name, r.said[name], said)
		}
	}
	if got := want.String(); got != "    1 passed   2 failed   1 skipped" {
		t.Errorf("String() = %q", got)
	}
}

// TestPattern checks the regular expressions for tests and subtests.
func TestPattern(t *testing.T) {
	if got := pattern([]string{"TestB/x", "TestA", "TestB/y.z", whole}); got != "^(TestA|TestB)$" {
		t.Errorf("pattern is %q", got)
	}
}

// TestChoose checks that a name is a program or a package of the standard library.
func TestChoose(t *testing.T) {
	standard, chosen, err := choose([]string{"net/http", "bbolt", "os"})
	if err != nil || !slices.Equal(standard, []string{"net/http", "os"}) || len(chosen) != 1 || chosen[0].name != "bbolt" {
		t.Errorf("choose = %v, %v, %v", standard, chosen, err)
	}
	if standard, chosen, _ := choose(nil); len(standard) != len(standardPackages) || len(chosen) != len(programs) {
		t.Errorf("all are %v and %v", standard, chosen)
	}
	if _, _, err := choose([]string{"example.com/x"}); err == nil {
		t.Error("there is no error of example.com/x")
	}
}

// TestSplit checks that each test of package os is in exactly one of the two suites.
func TestSplit(t *testing.T) {
	s := &suite{name: "os"}
	if all := s.split(""); len(all) != 1 {
		t.Errorf("%d suites; want 1", len(all))
	}
	all := s.split("/m")
	if len(all) != 2 || len(s.plain.args) > 0 {
		t.Fatalf("%d suites of %v", len(all), s.plain.args)
	}
	for _, v := range []side{all[0].plain, all[0].sluice} {
		if !slices.Equal(v.args, []string{"-test.skip=" + names}) || v.temp != "" {
			t.Errorf("the first is run with %q in %q", v.args, v.temp)
		}
	}
	for _, v := range []side{all[1].plain, all[1].sluice} {
		if !slices.Equal(v.args, []string{"-test.run=" + names}) || v.temp != "/m" {
			t.Errorf("the second is run with %q in %q", v.args, v.temp)
		}
	}
	if all := (&suite{name: "io"}).split("/m"); len(all) != 1 {
		t.Errorf("%d suites of io; want 1", len(all))
	}
}
