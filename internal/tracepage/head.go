package tracepage

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/jsonout"
	"github.com/sluiceio/sluice/trace"
)

// head is the page's data besides the columns.
type head struct {
	Name      string            `json:"name"`
	Facts     []fact            `json:"facts"`
	FirstOp   int64             `json:"firstOp"`   // ns since the recorder was made
	FirstCall int64             `json:"firstCall"` // likewise
	Lost      int64             `json:"lost"`
	Kept      bool              `json:"kept"` // the lost events are the last ones, not the first
	Files     []string          `json:"files"`
	Kinds     []string          `json:"kinds"`
	Paths     []string          `json:"paths"`
	Drivers   []string          `json:"drivers"`
	Classes   []string          `json:"classes"`
	Syscalls  []string          `json:"syscalls"`
	Labels    []string          `json:"labels"` // of goroutines
	Errors    map[string]string `json:"errors"` // by errno
	Columns   []column          `json:"columns"`
}

// fact is a line about the program or its machine.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func newHead(t *trace.Trace, name string) *head {
	h := &head{
		Name: name, Facts: facts(&t.Meta), Lost: t.Meta.Lost, Kept: t.Meta.KeptOldest,
		// No name is an empty list in JSON, not null.
		Files: append([]string{}, t.Files...), Errors: map[string]string{},
		Labels: append([]string{}, t.Labels...),
	}
	var kind trace.Kind
	var path trace.Path
	h.Drivers, h.Syscalls = []string{""}, []string{""}
	var class uint8
	for i := range t.Ops {
		o := &t.Ops[i]
		kind, path = max(kind, o.Kind), max(path, o.Path)
		h.Drivers = with(h.Drivers, o.Driver)
		class = max(class, o.Class)
		h.explain(t.Meta.OS, o.Result)
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		h.Syscalls, h.Drivers = with(h.Syscalls, c.Syscall), with(h.Drivers, c.Driver)
		h.explain(t.Meta.OS, int64(c.Result))
	}
	h.Kinds, h.Paths = names(kind), names(path)
	h.Classes = append([]string{}, t.Classes...)
	for len(h.Classes) <= int(class) { // no trace of a file lacks names
		h.Classes = append(h.Classes, fmt.Sprint("class ", len(h.Classes)))
	}
	return h
}

// with returns names with name, whose index the columns have.
func with(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// json returns h as JSON, as its tags say.
func (h *head) json() []byte {
	var w jsonout.Writer
	w.Open('{')
	text(&w, "name", h.Name)
	w.Key("facts")
	w.Open('[')
	for _, f := range h.Facts {
		w.Open('{')
		text(&w, "name", f.Name)
		text(&w, "value", f.Value)
		w.Close('}')
	}
	w.Close(']')
	integer(&w, "firstOp", h.FirstOp)
	integer(&w, "firstCall", h.FirstCall)
	integer(&w, "lost", h.Lost)
	w.Key("kept")
	w.Bool(h.Kept)
	texts(&w, "files", h.Files)
	texts(&w, "kinds", h.Kinds)
	texts(&w, "paths", h.Paths)
	texts(&w, "drivers", h.Drivers)
	texts(&w, "classes", h.Classes)
	texts(&w, "syscalls", h.Syscalls)
	texts(&w, "labels", h.Labels)
	w.Key("errors")
	w.Open('{')
	for _, errno := range slices.Sorted(maps.Keys(h.Errors)) {
		text(&w, errno, h.Errors[errno])
	}
	w.Close('}')
	w.Key("columns")
	w.Open('[')
	for _, c := range h.Columns {
		w.Open('{')
		text(&w, "name", c.Name)
		text(&w, "type", c.Type)
		integer(&w, "n", int64(c.N))
		w.Close('}')
	}
	w.Close(']')
	w.Close('}')
	return w.Bytes()
}

func text(w *jsonout.Writer, key, value string) {
	w.Key(key)
	w.String(value)
}

func integer(w *jsonout.Writer, key string, value int64) {
	w.Key(key)
	w.Int(value)
}

func texts(w *jsonout.Writer, key string, values []string) {
	w.Key(key)
	w.Open('[')
	for _, v := range values {
		w.String(v)
	}
	w.Close(']')
}

// names returns the names of all values up to last.
func names[T interface {
	~uint8
	fmt.Stringer
}](last T) []string {
	var all []string
	for v := 0; v <= int(last); v++ {
		all = append(all, T(v).String())
	}
	return all
}

// explain adds the text of a result's error. For a trace of another system it adds only
// the number, which means something else here.
func (h *head) explain(system string, result int64) {
	if result >= 0 || result < -4095 {
		return
	}
	number := strconv.FormatInt(-result, 10)
	if _, ok := h.Errors[number]; ok {
		return
	}
	h.Errors[number] = "errno " + number
	if system == runtime.GOOS {
		h.Errors[number] = syscall.Errno(-result).Error()
	}
}

// facts returns the known facts of m.
func facts(m *trace.Meta) []fact {
	all := []fact{
		{"program", m.Program},
		{"process", number(int64(m.PID))},
		{"driver", m.Driver},
		{"started", ""},
		{"kernel", m.Kernel},
		{"system", m.OS + "/" + m.Arch},
		{"CPU", m.CPU},
		{"cores", number(int64(m.Cores))},
		{"GOMAXPROCS", number(int64(m.GoMaxProcs))},
		{"memory", ""},
		{"Go", m.GoVersion},
	}
	known := all[:0]
	for _, f := range all {
		switch {
		case f.Name == "started" && !m.Start.IsZero():
			f.Value = m.Start.UTC().Format(time.RFC3339)
		case f.Name == "memory" && m.Memory > 0:
			f.Value = fmt.Sprintf("%.1f GiB", float64(m.Memory)/(1<<30))
		}
		if f.Value != "" && f.Value != "/" {
			known = append(known, f)
		}
	}
	return known
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
