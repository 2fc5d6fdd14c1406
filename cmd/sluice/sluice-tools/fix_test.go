package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// goPlaces returns the user's own caches of the go command, for scripts.
func goPlaces(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOROOT").Output()
	if err != nil {
		skip.For(t, skip.Go, "no go command: ", err)
	}
	var places map[string]string
	if err := json.Unmarshal(out, &places); err != nil {
		t.Fatal(err)
	}
	return places
}

// TestFix runs testdata/fix: programs that `sluice fix` rewrites, and that are built and
// tested with package sluice afterwards.
func TestFix(t *testing.T) {
	places := goPlaces(t)
	tree, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, testscript.Params{
		Dir:  "fix",
		Cmds: commands,
		Setup: func(env *testscript.Env) error {
			for name, place := range places {
				env.Setenv(name, place)
			}
			env.Setenv("GOFLAGS", "-buildvcs=false")
			env.Setenv("GOWORK", "off")
			env.Setenv("SELF", filepath.SplitList(env.Getenv("PATH"))[0])
			env.Setenv("TREE", tree) // the library's module
			return nil
		},
		Condition: condition,
	})
}

func TestFixFlags(t *testing.T) {
	got := fixFlags([]string{"fix", "-diff", "--exported", "-tags=a,b", "-tags", "-x", "./..."})
	want := []string{"fix", "--diff", "--exported", "--tags=a,b", "--tags", "-x", "./..."}
	if !slices.Equal(got, want) {
		t.Errorf("fixFlags = %q; want %q", got, want)
	}
}
