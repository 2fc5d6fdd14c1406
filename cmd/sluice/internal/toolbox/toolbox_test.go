package toolbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind finds sluice-tools beside the program before any other.
func TestFind(t *testing.T) {
	self := filepath.Join(t.TempDir(), "sluice")
	beside := filepath.Join(filepath.Dir(self), name())
	if err := os.WriteFile(beside, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, inTree, err := find(self, ""); got != beside || inTree || err != nil {
		t.Errorf("find = %s, in a tree %t, %v; want %s", got, inTree, err, beside)
	}
}

// TestBuiltIn finds the tree from which this test was built.
func TestBuiltIn(t *testing.T) {
	want, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if got := builtIn(); got != want {
		t.Errorf("builtIn() = %s; want %s", got, want)
	}
}

// TestCannotBuild checks what the errors say where no sluice-tools can be had.
func TestCannotBuild(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	const begin = "cannot build sluice-tools, which has this command: "
	if _, err := install("v0.0.1"); err == nil || !strings.HasPrefix(err.Error(), begin) || !strings.Contains(err.Error(), Package+"@v0.0.1") {
		t.Errorf("install = %v; want an error with what was built", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := install("v0.0.1"); err == nil || err.Error() != begin+"there is no go command in PATH" {
		t.Errorf("install = %v; want that there is no go command", err)
	}
	dir, err := cache("v0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("%v, %v are left in %s; want nothing", left, err, dir)
	}
}

// TestOpened compares the versions of the two programs.
func TestOpened(t *testing.T) {
	for _, test := range []struct {
		sluice, tools string
		fits          bool
	}{
		{"v0.1.0", "v0.1.0", true},
		{"v0.1.0", "v0.2.0", false},
		{"v0.1.0", "(devel)", false},
		{"(devel)", "(devel) 95be577040df", true},
		{"", "v0.0.0-20261122070000-95be577040df", true}, // built in one tree
		{"v0.0.0-20261122070000-95be577040df+dirty", "(devel)", true},
	} {
		t.Setenv(commandVariable, "/bin/sluice")
		t.Setenv(versionVariable, test.sluice)
		command, err := Opened(test.tools)
		switch {
		case test.fits && (command != "/bin/sluice" || err != nil):
			t.Errorf("sluice %s, sluice-tools %s: %q, %v; want its file", test.sluice, test.tools, command, err)
		case !test.fits && (err == nil || !strings.Contains(err.Error(), "/bin/sluice is version "+test.sluice)):
			t.Errorf("sluice %s, sluice-tools %s: %v; want an error with both versions", test.sluice, test.tools, err)
		}
		if value, ok := os.LookupEnv(commandVariable); ok {
			t.Errorf("%s=%s is left for children", commandVariable, value)
		}
	}
	if command, err := Opened("v0.1.0"); command != "" || err != nil {
		t.Errorf("sluice-tools alone: %q, %v; want no file", command, err)
	}
}
