package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// standIn is a program that a test runs as a command.
const standIn = `#!/bin/sh
case $1 in
fill) mkdir made && if [ -e broken ]; then exit 1; fi && echo all >made/data ;;
variable) echo "$SLUICE_DRIVER" >driver ;;
esac
`

// scripted writes standIn into a file, and makes a directory for its data.
func scripted(t *testing.T) (exe, dir string) {
	dir = t.TempDir()
	exe = filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(exe, []byte(standIn), 0o777); err != nil {
		t.Fatal(err)
	}
	return exe, dir
}

// TestInterruptedPreparation checks that prepare makes incomplete data again, and keeps complete
// data.
func TestInterruptedPreparation(t *testing.T) {
	exe, dir := scripted(t)
	c := &command{made: "made", before: [][]string{{"fill"}}}
	broken, data := filepath.Join(dir, "broken"), filepath.Join(dir, "made", "data")
	if err := os.WriteFile(broken, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := c.prepare(t.Context(), exe, dir); err == nil {
		t.Fatal("prepare = nil; want the failure of the program")
	}
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.prepare(t.Context(), exe, dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(data); err != nil {
			t.Fatalf("the data is not whole: %v", err)
		}
	}
}

// TestEnvironment checks that no process of a case gets the user's SLUICE_DRIVER: with "off", both
// builds would be the same program.
func TestEnvironment(t *testing.T) {
	t.Setenv("SLUICE_DRIVER", "off")
	exe, dir := scripted(t)
	if _, err := new(command).start(t.Context(), exe, dir, []string{"variable"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "driver")); err != nil || strings.TrimSpace(string(text)) != "" {
		t.Errorf("SLUICE_DRIVER of a command is %q, %v; want none", text, err)
	}
	p := &place{plain: "plain", sluice: "sluice"}
	for way, one := range p.programs(cases[0], builtSides) {
		if got := one.Env[0]; got != "SLUICE_DRIVER=" {
			t.Errorf("the environment of %v begins with %q; want SLUICE_DRIVER=", way, got)
		}
		if want := map[load.Way]string{load.ByGoBuild: "plain", load.BySluiceBuild: "sluice"}[way]; one.Exe != want {
			t.Errorf("the program of %v is %q; want %q", way, one.Exe, want)
		}
	}
}
