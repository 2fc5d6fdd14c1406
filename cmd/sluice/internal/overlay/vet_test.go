package overlay

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestVet copies the overlay's files into the program's tree, where vet can run. Vet must
// find nothing in the program, in the copied library, and in internal/poll.
func TestVet(t *testing.T) {
	if testing.Short() {
		skip.For(t, skip.Short, "builds much of the standard library")
	}
	if _, err := askToolchain(t.Context(), "."); err != nil {
		skip.For(t, skip.Go, err)
	}
	t.Setenv("GOWORK", "off")
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			t.Setenv("GOARCH", arch)
			program, o := written(t)
			list := []string{"internal/poll"}
			for _, p := range strings.Fields(goCommand(t, program, "list", "-deps", "-overlay="+o.Standard, ".")) {
				// golang.org/x/sys is not ours, except for the bodies of some functions.
				if strings.HasPrefix(p, "example.com/") && !strings.Contains(p, "golang.org/x/sys") {
					list = append(list, p)
				}
			}
			if len(list) < 10 {
				t.Errorf("packages are %q; want the library's among them", list)
			}
			goCommand(t, program, append([]string{"vet", "-overlay=" + o.Standard}, list...)...)
		})
	}
}

// written makes a program and an overlay, and copies the files that the overlay adds into
// the program's tree.
func written(t *testing.T) (program string, o *Overlay) {
	t.Helper()
	source, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	program = t.TempDir()
	write(t, filepath.Join(program, "go.mod"), "module example.com/program\n\ngo 1.20\n")
	write(t, filepath.Join(program, "main.go"), "package main\n\nfunc main() {}\n")
	o, err = Write(t.Context(), t.TempDir(), Request{Source: source, Dir: program, Packages: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	for to, from := range replaced(t, o.File) {
		if below, err := filepath.Rel(program, to); err != nil || !filepath.IsLocal(below) {
			continue
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, string(text))
	}
	return program, o
}

// replaced returns the files of an overlay.
func replaced(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o.Replace
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := writeFile(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// goCommand runs the go command in dir, and returns its output.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", args[0], err, stderr.String())
	}
	return string(out)
}
