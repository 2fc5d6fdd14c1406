package docs_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The most lines of a decision, and the most columns of its text.
const (
	decisionLines = 80
	textColumns   = 100
)

// TestDecisions checks the form of each decision, that README.md lists it under its title, and that
// the tests that it names exist.
func TestDecisions(t *testing.T) {
	names, err := filepath.Glob("decisions/0*.md")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d decisions were found, %v; there are more", len(names), err)
	}
	list, tests := read(t, "decisions/README.md"), testsOf(t)
	for _, name := range names {
		for _, problem := range decisionProblems(filepath.Base(name), read(t, name), list, tests) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// TestDecisionsNoticesWrong checks that the test above finds wrong decisions.
func TestDecisionsNoticesWrong(t *testing.T) {
	const list = "| [4](0004-a.md) | A title |\n"
	body := "\n## Context\n\n## Decision\n\n## Measured\n\n## What it costs, and when to look again\n"
	tests := map[string]bool{"TestHere": true}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"# 4. A title\n" + body + "TestHere\n| " + strings.Repeat("x", 200) + " |\n", nil},
		{"# 4. Another title\n" + body, []string{"README.md does not list it as | [4](0004-a.md) | Another title |"}},
		{"# 4. A title\n" + body + "TestGone", []string{"there is no TestGone"}},
		{"# 4. A title\n" + body + strings.Repeat("x", 101), []string{"line 10 has 101 columns"}},
		{"# 4. A title\n" + body + strings.Repeat("x\n", 72), []string{"81 lines"}},
		{"# 4. A title\n" + strings.Replace(body, "## Measured\n", "", 1), []string{`there is no "## Measured"`}},
	} {
		if got := decisionProblems("0004-a.md", c.text, list, tests); !slices.Equal(got, c.want) {
			t.Errorf("problems = %q; want %q", got, c.want)
		}
	}
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Benchmark)[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w*)\(`)
)

// decisionProblems returns the problems in the text of a decision.
func decisionProblems(name, text, list string, tests map[string]bool) (problems []string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	number, title, _ := strings.Cut(strings.TrimPrefix(lines[0], "# "), ". ")
	if row := fmt.Sprintf("| [%s](%s) | %s |", number, name, title); !strings.Contains(list, row+"\n") {
		problems = append(problems, "README.md does not list it as "+row)
	}
	for _, heading := range []string{"## Context", "## Decision", "## Measured", "## What it costs, and when to look again"} {
		if !slices.Contains(lines, heading) {
			problems = append(problems, fmt.Sprintf("there is no %q", heading))
		}
	}
	if len(lines) > decisionLines {
		problems = append(problems, fmt.Sprint(len(lines), " lines"))
	}
	for i, line := range lines[1:] {
		if n := utf8.RuneCountInString(line); n > textColumns && !strings.HasPrefix(line, "|") {
			problems = append(problems, fmt.Sprintf("line %d has %d columns", i+2, n))
		}
	}
	for _, test := range testName.FindAllString(text, -1) {
		if !tests[test] {
			problems = append(problems, "there is no "+test)
		}
	}
	return problems
}

// testsOf returns the names of all tests and benchmarks of the repository.
func testsOf(t *testing.T) map[string]bool {
	tests := make(map[string]bool)
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata", "third_party"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		for _, m := range testFunc.FindAllStringSubmatch(read(t, name), -1) {
			tests[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
