package goflags_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want goflags.Line
	}{
		{"build", goflags.Line{}},
		{"build -o x -race --tags a,b . ./cmd", goflags.Line{
			Flags: words("-o=x -race -tags=a,b"), Select: words("-race -tags=a,b"), Packages: words(". ./cmd"),
		}},
		{"build -C dir -race=false", goflags.Line{Dir: "dir", Flags: words("-race=false"), Select: words("-race=false")}},
		{"test --C=dir C", goflags.Line{Dir: "dir", Packages: words("C")}},
		{"install -C dir -race ./cmd/...", goflags.Line{
			Dir: "dir", Flags: words("-race"), Select: words("-race"), Packages: words("./cmd/..."),
		}},
		{"build C", goflags.Line{Packages: words("C")}},
		{"run . -x ./y", goflags.Line{Packages: words("."), Rest: words("-x ./y")}},
		{"run -v a.go b.go c.txt d.go", goflags.Line{Flags: words("-v"), Packages: words("a.go b.go"), Rest: words("c.txt d.go")}},
		{"test ./... -run X -count=1 -test.v -args -run", goflags.Line{
			Flags: words("-run=X -count=1 -test.v"), Packages: words("./..."), Rest: words("-run"),
		}},
		{"test -coverpkg ./... -toolexec time .", goflags.Line{
			Flags: words("-coverpkg=./... -toolexec=time"), Cover: true, ToolExec: "time", Packages: words("."),
		}},
		{"build -cover=false .", goflags.Line{Flags: words("-cover=false"), Packages: words(".")}},
		{"test -vet off . -own=3", goflags.Line{Flags: words("-vet=off -own=3"), Vet: "off", Packages: words(".")}},
		{"test . ./a -count=1 hello ./b -v", goflags.Line{Flags: words("-count=1"), Packages: words(". ./a"), Rest: words("hello ./b -v")}},
		{"test -v . -run X - y", goflags.Line{Flags: words("-v -run=X"), Packages: words("."), Rest: words("- y")}},
		// For go, "." may be a value of -own
		{"test -own=3 . -v", goflags.Line{Flags: words("-own=3"), Rest: words(". -v")}},
		{"test . -- hello -v", goflags.Line{Packages: words("."), Rest: words("-- hello -v")}},
		{"test -- .", goflags.Line{Rest: words("-- .")}},
		{"test . -count=1 -args -- hello", goflags.Line{Flags: words("-count=1"), Packages: words("."), Rest: words("-- hello")}},
		{"build -v -- . ./cmd", goflags.Line{Flags: words("-v"), Packages: words(". ./cmd")}},
		{"install --", goflags.Line{}},
		{"run -- . -x", goflags.Line{Packages: words("."), Rest: words("-x")}},
		{"run -v -- a.go b.go -- c.go", goflags.Line{Flags: words("-v"), Packages: words("a.go b.go"), Rest: words("-- c.go")}},
	} {
		args := strings.Fields(c.line)
		got, err := goflags.Parse(args[0], args[1:])
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if len(got.Rest) == 0 {
			got.Rest = nil
		}
		if len(got.Packages) == 0 {
			got.Packages = nil
		}
		if !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.line, *got, c.want)
		}
	}
}

func words(s string) []string { return strings.Fields(s) }

func TestParseErrors(t *testing.T) {
	for line, want := range map[string]string{
		"build . -race":      "flag -race comes after the packages",
		"install . -race":    "flag -race comes after the packages",
		"build . -- ./cmd":   "flag -- comes after the packages",
		"build -- -race":     "flag -race comes after --",
		"run -- -x":          "flag -x comes after --",
		"build -o":           "flag -o has no value",
		"build -C":           "flag -C has no value",
		"build -v -C x .":    "flag -C is not the first",
		"build -overlay x .": "flag -overlay is sluice's own",
		"test . -own 3":      "flag -own is unknown; if it has a value, write it after =",
	} {
		args := strings.Fields(line)
		if _, err := goflags.Parse(args[0], args[1:]); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v; want %s", line, err, want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		args, goflags string
		vet           string
		json          bool
	}{
		{"", "", "", false},
		{"", "-buildvcs=false -vet=off", "off", false},
		{"", "-vet=off -vet=all", "all", false},
		{"-vet=atomic", "--vet=off", "atomic", false},
		{"-json", "", "", true},
		{"-json=true", "", "", true},
		{"-json=0", "-json", "", false},
		{"", "-json=1", "", true},
	} {
		l, err := goflags.Parse("test", strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		l.Environment(c.goflags)
		if l.Vet != c.vet || l.Has("json") != c.json {
			t.Errorf("%q with GOFLAGS=%q: vet %q, json %t; want %q, %t", c.args, c.goflags, l.Vet, l.Has("json"), c.vet, c.json)
		}
	}
}

// TestAddTag checks that a tag comes to those of the command line, or of GOFLAGS, and that a copy
// made before does not change.
func TestAddTag(t *testing.T) {
	for _, c := range []struct{ args, goflags, want string }{
		{"", "", "-tags=x"},
		{"-tags=a,b", "-tags=c", "-tags=a,b,x"},
		{"-tags=a -tags=b", "", "-tags=b,x"},
		{"", "-v -tags=c", "-tags=c,x"},
	} {
		l, err := goflags.Parse("test", strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		l.Environment(c.goflags)
		before := l.Clone()
		l.AddTag("x")
		if got := l.Flags[len(l.Flags)-1]; got != c.want || l.Select[len(l.Select)-1] != c.want {
			t.Errorf("%q with GOFLAGS=%q: %s; want %s", c.args, c.goflags, got, c.want)
		}
		if strings.Join(before.Flags, " ") != c.args {
			t.Errorf("the copy has %q; want %q", before.Flags, c.args)
		}
	}
	spaced, err := goflags.Parse("test", []string{"-tags", "a b"})
	if err != nil {
		t.Fatal(err)
	}
	if spaced.AddTag("x"); spaced.Flags[1] != "-tags=a b x" {
		t.Errorf("%q; want spaces between all tags", spaced.Flags[1])
	}
}
