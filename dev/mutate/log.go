package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// entry is a judged mutation. In the log it is a line of fields separated by tabs.
type entry struct {
	state, name, by string
	took            time.Duration
}

// log has the judged mutations, in memory and in a file. The last entry of a name counts.
type log struct {
	file *os.File

	mu      sync.Mutex
	entries map[string]entry
	order   []string
}

func openLog(name string) (*log, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	l := &log{file: f, entries: make(map[string]entry)}
	for line := range strings.Lines(string(text)) {
		w := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(w) != 4 {
			f.Close()
			return nil, fmt.Errorf("%s, %q: want 4 fields: remove the line", name, line)
		}
		took, err := time.ParseDuration(w[3])
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s, %q: %w: remove the line", name, line, err)
		}
		l.set(entry{state: w[0], name: w[1], by: w[2], took: took})
	}
	return l, nil
}

func (l *log) set(e entry) {
	if _, ok := l.entries[e.name]; !ok {
		l.order = append(l.order, e.name)
	}
	l.entries[e.name] = e
}

func (l *log) add(e entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(e)
	line := strings.Join([]string{e.state, e.name, e.by, e.took.Round(time.Millisecond).String()}, "\t")
	fmt.Println(line)
	_, err := fmt.Fprintln(l.file, line)
	return err
}

func (l *log) state(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[name].state
}

// counted returns how many mutations were killed or survived.
func (l *log) counted() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.state != broken {
			n++
		}
	}
	return n
}

func (l *log) print() {
	n := make(map[string]int)
	for _, name := range l.order {
		e := l.entries[name]
		n[e.state]++
		if e.state == survived {
			fmt.Println("survived:", e.name)
		}
	}
	total := n[killed] + n[survived]
	fmt.Printf("%d of %d killed (%.0f %%), %d more did not compile\n", n[killed], total, 100*float64(n[killed])/float64(max(total, 1)), n[broken])
}
