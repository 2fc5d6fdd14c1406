// Package docs holds tests of the documents beside it.
package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// root is the directory of the source.
const root = ".."

// unseen has the directories without messages for users, and the reason for each.
var unseen = map[string]string{
	".git":                         "not source",
	"dev":                          "for developers of sluice",
	"bench/databases":              "for developers of sluice",
	"bench/internal/test/golden":   "for tests",
	"copytree/internal/proof":      "for tests",
	"copytree/internal/treecmp":    "for tests",
	"copytree/internal/treegen":    "for tests",
	"internal/test/allocs":         "for tests",
	"internal/driver/drivertest":   "for tests",
	"internal/driver/fault":        "for tests",
	"internal/driver/script":       "for tests",
	"sluicetest":                   "for tests",
	"internal/driver/sim":          "for tests",
	"internal/test/faults":         "for tests",
	"internal/test/golden":         "for tests",
	"internal/test/hang":           "for tests",
	"internal/test/places":         "for tests",
	"internal/test/skip":           "for tests",
	"internal/test/seed":           "for tests",
	"internal/test/testenv":        "for tests",
	"examples":                     "programs to read; what they print is their own",
	"copytree/internal/fault":      "sluice cp has other words for them (gnucp/messages.go); in a program they are copytree's exported errors",
	"bench/internal/builds/reader": "a program that bench builds and starts; bench reports how it failed",
	"bench/internal/builds/start":  "a program that bench builds and starts; bench reports how it failed",
	"bench/pebble":                 "a program that bench builds and starts; bench reports how it failed",
}

// internal has the messages that no user sees, unless sluice has a bug, by the reason.
var internal = map[string][]string{
	"a method that nobody can call":            {"WriteTo is hidden"},
	"the Scheduler's own error comes first":    {"driver closed"},
	"replaced by a message with the directory": {"busy"},

	"sluice asks the go command again": {
		"another answer is possible",
		"what is built may be something else",
	},
	"a mistake in the code": {"overlay: a key has a value without JSON: …"},

	"there is always a pool": {"sluice: the pool needs nothing of the system, but: …"},
	"the root package checks its Options before": {
		"aio: Depth … is not between 0 and …",
		"aio: Threads … is negative",
		"pool: Depth … is negative",
		"pool: Threads … is not between 0 and …",
		"uring: Depth … is not between 0 and 16384",
	},
	"memory that cannot be registered is used without (Stats.BuffersRegistered)": {
		"io_uring_register of a table of buffers: …",
		"io_uring_register of … bytes: …",
		"uring: Register of no memory",
		"uring: Register on a closed ring",
		"uring: Register on a lost ring: …",
		"uring: Register: all … entries of the table are in use: …",
	},
	"sluice bench gives its worker processes valid requests": {
		"GOMAXPROCS is …; want at least 1, or 0 for the process's own",
		"a flood of … goroutines on a file of … bytes; want 0 or more, and … bytes at least",
		"burst: invalid number or size of writes",
		"burst: unknown engine …",
		"floor: want at least one thread, and blocks of at least a byte",
		"otiai10: want at least one worker",
		"request out of turn",
		"size of a direct operation is … bytes; want a multiple of …",
		"size of an operation is … bytes; want more than 0",
		"the worker wrote nothing",
		"unknown class …",
		"unknown kind of load …",
		"unknown way …",
		"… goroutines; want at least 1",
	},
}

// TestTroubleshooting compares the messages in the source with those that troubleshooting.md
// explains.
func TestTroubleshooting(t *testing.T) {
	source := collect(t)
	page := explained(t)
	hidden := slices.Concat(slices.Collect(maps.Values(internal))...)
	for _, text := range sorted(source) {
		isInternal := slices.Contains(hidden, text)
		switch {
		case isInternal && page[text]:
			t.Errorf("troubleshooting.md explains %q, which is among the internal messages", text)
		case !isInternal && !page[text]:
			t.Errorf("troubleshooting.md does not explain %q (%s)", text, source[text])
		}
	}
	for _, text := range sorted(page) {
		if source[text] == "" {
			t.Errorf("troubleshooting.md explains %q, which no source has", text)
		}
	}
	for _, text := range hidden {
		if source[text] == "" {
			t.Errorf("%q is among the internal messages, and no source has it", text)
		}
	}
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// explained returns the messages in the page: the code in the first cells of its tables.
func explained(t *testing.T) map[string]bool {
	text, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	code := regexp.MustCompile("`([^`]+)`")
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.SplitN(line, " | ", 3)
		if len(cells) < 2 || strings.TrimSpace(strings.Trim(cells[1], "| \n")) == "" {
			t.Errorf("troubleshooting.md does not say what to do: %s", line)
		}
		for _, m := range code.FindAllStringSubmatch(cells[0], -1) {
			if found[m[1]] {
				t.Errorf("troubleshooting.md explains %q twice", m[1])
			}
			found[m[1]] = true
		}
	}
	return found
}

// collect returns the messages in the source, each with one of its places.
func collect(t *testing.T) map[string]string {
	c := collector{set: token.NewFileSet(), found: make(map[string]string)}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		_, skip := unseen[filepath.ToSlash(name)]
		switch {
		case d.IsDir() && (skip || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return c.file(path, filepath.ToSlash(filepath.Dir(name)), filepath.Base(name))
	})
	if err != nil {
		t.Fatal(err)
	}
	return c.found
}

// collector gathers messages.
type collector struct {
	set   *token.FileSet
	found map[string]string

	dir, base string // of the file being read
}

// file reads a file, even one for another system.
func (c *collector) file(path, dir, base string) error {
	f, err := parser.ParseFile(c.set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	c.dir, c.base = dir, base
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			c.call(n)
		case *ast.KeyValueExpr: // sluice cp's tables
			if dir == "copytree/gnucp" && base == "messages.go" {
				c.add(n.Value)
			}
		case *ast.FuncDecl: // an error type
			if n.Recv != nil && n.Name.Name == "Error" && n.Body != nil && len(n.Body.List) == 1 {
				if r, ok := n.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
					c.add(r.Results[0])
				}
			}
		case *ast.ReturnStmt: // messages that replace those of the parser of flags
			if dir == "cmd/sluice/sluice-tools" && base == "usage.go" && len(n.Results) == 1 {
				c.sentence(n.Results[0])
			}
		}
		return true
	})
	return nil
}

// functions have a message as their first argument. cpFunctions are the ones of package gnucp.
var (
	functions   = []string{"errors.New", "fmt.Errorf", "formatErrorf"}
	cpFunctions = []string{"usage", "failed", "wantDir", "warn", "complain"}
)

// call adds the message of a call.
func (c *collector) call(n *ast.CallExpr) {
	name := callee(n)
	switch {
	case len(n.Args) == 0:
	case slices.Contains(functions, name):
		c.add(n.Args[0])
	case name == "errs.Wrap":
		c.add(&ast.BinaryExpr{X: n.Args[0], Op: token.ADD, Y: &ast.BasicLit{Kind: token.STRING, Value: `": …"`}})
	case c.dir == "copytree/gnucp" && slices.Contains(cpFunctions, name[strings.LastIndex(name, ".")+1:]):
		c.add(n.Args[0])
	// printed and not returned
	case (name == "fmt.Fprintf" || name == "fmt.Fprintln") && len(n.Args) > 1:
		if text, ok := normalized(n.Args[1]); ok && strings.HasPrefix(text, "sluice: ") {
			c.add(n.Args[1])
		}
	case name == "panic" && !strings.HasPrefix(c.dir, "internal/") && !strings.HasPrefix(c.dir, "bench"),
		name == "panic" && c.dir == "internal/buffer":
		c.add(n.Args[0])
	}
}

// callee returns the name of the function, with the name before the dot if it has one.
func callee(n *ast.CallExpr) string {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// add adds the message of an expression that has constant words.
func (c *collector) add(e ast.Expr) {
	if call, ok := e.(*ast.CallExpr); ok && callee(call) == "fmt.Sprintf" {
		e = call.Args[0]
	}
	text, ok := normalized(e)
	if !ok || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	if _, ok := c.found[text]; !ok {
		c.found[text] = c.set.Position(e.Pos()).String()
	}
}

// sentence adds a text of more than one word.
func (c *collector) sentence(e ast.Expr) {
	if text, ok := normalized(e); ok && strings.Contains(strings.Trim(text, " "), " ") && strings.Count(text, " ") > 1 {
		c.add(e)
	}
}

var (
	verb  = regexp.MustCompile(`%(?:\[\d+\])?[-+# 0]*[\d.]*[a-zA-Z]`)
	dots  = regexp.MustCompile(`…[…]*`)
	space = regexp.MustCompile(`\s+`)
)

// normalized returns a text in which … stands for each part that is not constant. ok is false if
// nothing is constant.
func normalized(e ast.Expr) (text string, ok bool) {
	text, ok = constant(e)
	text = strings.ReplaceAll(text, "%%", "\x00")
	text = verb.ReplaceAllString(text, "…")
	text = strings.ReplaceAll(text, "\x00", "%")
	text = dots.ReplaceAllString(text, "…")
	text = space.ReplaceAllString(text, " ")
	return strings.TrimSpace(text), ok
}

// constant returns the text of a string, of strings that are added, and … for other expressions.
func constant(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		a, okA := constant(e.X)
		b, okB := constant(e.Y)
		return a + b, okA || okB
	case *ast.ParenExpr:
		return constant(e.X)
	}
	return "…", false
}
