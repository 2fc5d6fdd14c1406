package stress

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

// Counts are the operations of a program.
type Counts struct {
	Cached, Plain, Queued int64 // by path; see sluice.Stats
	Held                  int64 // queued ones whose completions were late
	Short                 int64 // reads that were cut short, and Reads
	Interrupted           int64 // queued ones that were interrupted, and then made as plain calls
	Dropped               int64 // how often the page cache was asked to drop something
	Dir                   string
	Program               string
}

// Add adds the numbers of b to c.
func (c *Counts) Add(b Counts) {
	c.Cached += b.Cached
	c.Plain += b.Plain
	c.Queued += b.Queued
	c.Held += b.Held
	c.Short += b.Short
	c.Interrupted += b.Interrupted
	c.Dropped += b.Dropped
}

// String returns the numbers in words.
func (c Counts) String() string {
	return fmt.Sprintf("%d queued (%d completed late, %d short, %d interrupted), %d by plain calls, %d from the page cache, which lost data %d times",
		c.Queued, c.Held, c.Short, c.Interrupted, c.Plain, c.Cached, c.Dropped)
}

// line is a line of the file of CountsVariable.
const line = "%d %d %d %d %d %d %d %q %q\n"

// fields are the values of a line.
func (c *Counts) fields() []any {
	return []any{&c.Cached, &c.Plain, &c.Queued, &c.Held, &c.Short, &c.Interrupted, &c.Dropped, &c.Dir, &c.Program}
}

// text returns c as a line.
func (c Counts) text() string {
	return fmt.Sprintf(line, c.Cached, c.Plain, c.Queued, c.Held, c.Short, c.Interrupted, c.Dropped, c.Dir, c.Program)
}

// ReadCounts returns the counts of the processes that have added theirs to a file of
// CountsVariable.
func ReadCounts(from io.Reader) (all []Counts, err error) {
	for lines := bufio.NewScanner(from); ; {
		if !lines.Scan() {
			return all, lines.Err()
		}
		var c Counts
		if _, err := fmt.Sscanf(lines.Text()+"\n", line, c.fields()...); err != nil {
			return nil, fmt.Errorf("counts of the tests: %q: %w", lines.Text(), err)
		}
		all = append(all, c)
	}
}

// start is the directory in which the program was started.
var start, _ = os.Getwd()

// Report adds the program's counts to the file of CountsVariable, if there is one. paths has the
// counts by path. The program ends, so an error is written to standard error.
func (m *Mode) Report(paths Counts) {
	name := os.Getenv(CountsVariable)
	if name == "" {
		return
	}
	c := paths
	c.Held, c.Interrupted, c.Dropped = m.done.Held.Load(), m.done.Interrupted.Load(), m.done.Dropped.Load()
	c.Short = m.done.Short.Load() + m.shortened.Load()
	c.Dir, c.Program = start, os.Args[0]
	if err := appendTo(name, c.text()); err != nil {
		fmt.Fprintf(os.Stderr, "sluice: no counts: SLUICE_STRESS_COUNTS=%s: %v\n", name, err)
	}
}
