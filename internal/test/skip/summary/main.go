// Command summary prints a table of the skipped tests in a file of SLUICE_SKIPS, which is its
// argument. It sorts them by reason, package and message.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: summary FILE")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	skips, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return table(w, skips)
}

// skip is a line of the file (see note in package skip).
type skip struct{ reason, means, pkg, test, why string }

// tempDir matches the directories of (*testing.T).TempDir, which all have different names.
var tempDir = regexp.MustCompile(`[^\s"]*/Test[^\s"/]*[0-9]+/[0-9]{3}/`)

func read(r io.Reader) (skips []skip, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // 1 MiB: a test's message may have a command's output
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("%q has %d fields; want 5", lines.Text(), len(f))
		}
		skips = append(skips, skip{f[0], f[1], f[2], f[3], tempDir.ReplaceAllString(f[4], "…/")})
	}
	return skips, lines.Err()
}

// The limits of a row: names of tests, and bytes of their message.
const (
	shownTests = 3
	shownWhy   = 80
)

func table(w io.Writer, skips []skip) error {
	if len(skips) == 0 {
		_, err := fmt.Fprintln(w, "No test was skipped.")
		return err
	}
	// A test that runs twice, or in another process, counts once.
	slices.SortFunc(skips, func(a, b skip) int {
		return strings.Compare(strings.Join([]string{a.reason, a.pkg, a.why, a.test}, "\t"),
			strings.Join([]string{b.reason, b.pkg, b.why, b.test}, "\t"))
	})
	skips = slices.Compact(skips)
	of := make(map[string]int)
	for _, s := range skips {
		of[s.reason]++
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%d skips.\n", len(skips))
	fmt.Fprintln(out, "REASON\tTESTS\tPACKAGE\tWHICH\tWHY")
	last := ""
	for rows := skips; len(rows) > 0; {
		s := rows[0]
		n := slices.IndexFunc(rows, func(o skip) bool { return o.reason != s.reason || o.pkg != s.pkg || o.why != s.why })
		if n < 0 {
			n = len(rows)
		}
		if s.reason != last {
			fmt.Fprintf(out, "%s\t%d\t\t\t%s\n", s.reason, of[s.reason], s.means)
			last = s.reason
		}
		fmt.Fprintf(out, "\t%d\t%s\t%s\t%s\n", n, s.pkg, which(rows[:n]), cut(s.why, shownWhy))
		rows = rows[n:]
	}
	return out.Flush()
}

// which returns the first names of tests. If there are several, it leaves out subtests.
func which(rows []skip) string {
	var names []string
	for _, s := range rows {
		name := s.test
		if len(rows) > 1 {
			name, _, _ = strings.Cut(name, "/")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - shownTests; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownTests], ", "), more)
	}
	return strings.Join(names, ", ")
}

func cut(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}
