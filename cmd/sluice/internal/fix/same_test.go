package fix

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestSameOutput runs programs before and after. Each line of the output is about one way of a
// file through the program.
func TestSameOutput(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	for _, name := range []string{"channels", "channels_generic"} {
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			sameOutput(t, extract(t, archive))
		})
	}
}

func sameOutput(t *testing.T, dir string) {
	before := strings.Split(output(t, dir), "\n")
	o := optionsOf(t, "")
	o.Dir = dir
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	after := strings.Split(output(t, dir), "\n")
	if len(before) != len(after) {
		t.Fatalf("%d lines before, %d after", len(before), len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("%s; want %s, as before", after[i], before[i])
		}
	}
}

// output runs the program in a workspace with package sluice.
func output(t *testing.T, dir string) string {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "go.work")
	text := fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n)\n", root)
	if err := os.WriteFile(work, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GOWORK="+work, "GOFLAGS=-buildvcs=false", "GOPROXY=off", "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
