package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSnippets builds each block of Go code in the documents, and runs the whole programs among
// them.
//
// A block that begins with a package clause, or with imports, is a file. Any other block has
// functions and types, or is the body of a function; its packages are imported by their names. It
// need not use what it declares, and may use the variables of snippetHead. A block after the line
// <!-- quote: FILE --> must be in that file, word for word, but for its indentation.
func TestSnippets(t *testing.T) {
	documents, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	quotes := 0
	for _, name := range append(documents, filepath.Join("..", "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range snippetsOf(string(text)) {
			if s.quotes == "" {
				files = append(files, s.file(filepath.Base(name)))
				continue
			}
			quotes++
			source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(s.quotes)))
			if err != nil || !quoted(string(source), s.code) {
				t.Errorf("%s:%d: the block is not in %s, which it quotes (%v):\n%s", name, s.line, s.quotes, err, s.code)
			}
		}
	}
	if len(files) < 4 || quotes < 2 {
		t.Errorf("%d blocks of code and %d quotes were found; there are more", len(files), quotes)
	}
	problems, programs := compile(t, files)
	for _, p := range problems {
		t.Error(p)
	}
	for _, program := range programs {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "data"), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("a program of the documents: %v\n%s", err, out)
		}
	}
}

// TestSnippetsNoticesWrong checks that the test above finds wrong snippets.
func TestSnippetsNoticesWrong(t *testing.T) {
	text := "a\n```go\nf, err := sluice.Open(name)\nunused := f\n```\nb\n<!-- quote: a.go -->\n```go\n\tif a {\n\t\tb()\n\t}\n```\n" +
		"```go\nf, err := sluice.Opened(\"data\")\n```\n```go\npackage main\nfunc main() { x }\n```\n```sh\nls\n```\n"
	s := snippetsOf(text)
	if len(s) != 4 || s[1].quotes != "a.go" || s[0].line != 2 || s[2].quotes != "" {
		t.Fatalf("snippets = %+v", s)
	}
	if !quoted("\tx()\n\t\tif a {\n\t\t\tb()\n\t\t}\n", s[1].code) || quoted("\tif a {\n\t\tc()\n\t}\n", s[1].code) {
		t.Errorf("quoted is wrong about %q", s[1].code)
	}
	problems, _ := compile(t, []string{s[0].file("a.md"), s[2].file("a.md"), s[3].file("a.md")})
	slices.Sort(problems)
	if want := []string{"a.md:14: undefined: sluice.Opened", "a.md:18: undefined: x"}; !slices.Equal(problems, want) {
		t.Errorf("problems = %q; want %q", problems, want)
	}
}

// snippet is a block of Go code in a document.
type snippet struct {
	code   string
	line   int    // of the document, where it begins
	quotes string // the file that it quotes, from the root of the repository
}

var quoteLine = regexp.MustCompile(`^<!-- quote: (\S+) -->$`)

// snippetsOf returns the blocks of Go code of a document.
func snippetsOf(text string) (all []snippet) {
	var code *strings.Builder
	quotes, n := "", 0
	for line := range strings.Lines(text) {
		n++
		switch bare := strings.TrimRight(line, "\r\n"); {
		case code != nil && bare == "```":
			all[len(all)-1].code, code = code.String(), nil
		case code != nil:
			code.WriteString(line)
		case bare == "```go":
			all = append(all, snippet{line: n, quotes: quotes})
			code, quotes = new(strings.Builder), ""
		default:
			quotes = ""
			if m := quoteLine.FindStringSubmatch(bare); m != nil {
				quotes = m[1]
			}
		}
	}
	return all
}

// quoted reports whether the lines of code are in source. Their indentation may differ by a
// constant.
func quoted(source, code string) bool {
	lines := dedented(strings.Split(strings.TrimRight(code, "\n"), "\n"))
	all := strings.Split(source, "\n")
	for i := 0; i+len(lines) <= len(all); i++ {
		if slices.Equal(dedented(all[i:i+len(lines)]), lines) {
			return true
		}
	}
	return false
}

// dedented returns the lines without their common tabs.
func dedented(lines []string) (less []string) {
	common := -1
	for _, l := range lines {
		if tabs := len(l) - len(strings.TrimLeft(l, "\t")); l != "" && (common < 0 || tabs < common) {
			common = tabs
		}
	}
	for _, l := range lines {
		less = append(less, l[min(max(common, 0), len(l)):])
	}
	return less
}

// snippetHead has the variables that a block of code may use.
const snippetHead = `
var (
	ctx  context.Context
	name string
	buf  []byte
	off  int64
)
`

// snippetImports are the packages that a block of code may use.
var snippetImports = map[string]string{
	"batch": "github.com/sluiceio/sluice/batch", "cache": "github.com/sluiceio/sluice/cache",
	"copytree": "github.com/sluiceio/sluice/copytree", "direct": "github.com/sluiceio/sluice/direct",
	"sluice": "github.com/sluiceio/sluice", "trace": "github.com/sluiceio/sluice/trace",
	"mapped": "github.com/sluiceio/sluice/mapped", "live": "github.com/sluiceio/sluice/trace/live",
	"http": "net/http", "bufio": "bufio", "bytes": "bytes", "context": "context",
	"errors": "errors", "exec": "os/exec", "filepath": "path/filepath", "fmt": "fmt", "fs": "io/fs",
	"io": "io", "log": "log", "os": "os", "slices": "slices", "strings": "strings", "sync": "sync", "syscall": "syscall", "time": "time",
}

var packageUse = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)

// snippetDeclares matches a block of functions or types.
var snippetDeclares = regexp.MustCompile(`^(func [(A-Za-z]|type )`)

// file returns the snippet as a source file. The compiler names lines of the document.
func (s snippet) file(document string) string {
	place := fmt.Sprintf("//line %s:%d\n", document, s.line+1)
	switch {
	case strings.HasPrefix(s.code, "package "):
		return place + s.code
	case strings.HasPrefix(s.code, "import "):
		return "package snippet\n" + place + s.code
	}
	imports := map[string]bool{"context": true}
	for _, m := range packageUse.FindAllStringSubmatch(s.code, -1) {
		if path := snippetImports[m[1]]; path != "" {
			imports[path] = true
		}
	}
	var b strings.Builder
	b.WriteString("package snippet\n\n")
	for path := range imports {
		fmt.Fprintf(&b, "import %q\n", path)
	}
	if b.WriteString(snippetHead + "\n"); snippetDeclares.MatchString(s.code) {
		return b.String() + place + s.code
	}
	fmt.Fprintf(&b, "func _() error {\n\t{\n%s%s\n\t}\n\treturn nil\n}\n", place, s.code)
	return b.String()
}

// unused matches the compiler's message for a variable or package that a snippet does not use.
var unused = regexp.MustCompile(`declared and not used: |imported and not used$`)

// compile compiles each file as a separate package in a new folder below docs. It returns the
// compiler's messages, and the names of the programs that it has built.
func compile(t *testing.T, files []string) (problems, programs []string) {
	t.Helper()
	dir := t.TempDir()
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var packages, mains []string
	for i, text := range files {
		folder := fmt.Sprint("snippet", i)
		real := filepath.Join(dir, folder+".go")
		if err := os.WriteFile(real, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, folder, "snippet.go")] = real
		packages = append(packages, "./"+folder)
		if strings.Contains(text, "\npackage main\n") {
			mains = append(mains, "./"+folder)
			programs = append(programs, filepath.Join(dir, folder))
		}
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	build := func(to string, packages []string) (string, error) {
		args := []string{"build", "-gcflags=-e", "-overlay", filepath.Join(dir, "overlay.json"), "-o", to}
		out, err := exec.Command("go", append(args, packages...)...).CombinedOutput()
		return string(out), err
	}
	out, err := build(os.DevNull, packages)
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "# ") && !unused.MatchString(line) {
			problems = append(problems, line)
		}
	}
	if err != nil && out == "" {
		t.Fatal(err)
	}
	if len(problems) > 0 || len(mains) == 0 {
		return problems, nil
	}
	if out, err := build(dir+string(filepath.Separator), mains); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return nil, programs
}
