//go:build amd64 || arm64

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/seed"
)

var randomN = flag.Int("sluice.random.n", 1200, "operations of the program of testdata/build/random.txt")

func hasDriver(name string) bool {
	s, err := sluice.NewScheduler(sluice.Options{Driver: name})
	if err != nil {
		return false
	}
	return s.Close() == nil
}

// TestBuilds runs testdata/build: programs that `sluice build` builds, with the user's own
// caches of the go command. With -short it leaves out what compiles the standard library once more.
func TestBuilds(t *testing.T) {
	places := goPlaces(t)
	tree, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir() // of all scripts: they build with the same library
	start := strconv.FormatUint(seed.Of(t), 10)
	_, noCompiler := exec.LookPath("gcc")
	runScripts(t, testscript.Params{
		Dir:  "build",
		Cmds: commands,
		Setup: func(env *testscript.Env) error {
			for name, place := range places {
				env.Setenv(name, place)
			}
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("GOFLAGS", "-buildvcs=false")
			env.Setenv("SLUICE_SOURCE", os.Getenv("SLUICE_SOURCE"))
			env.Setenv("TREE", tree) // the library's module
			env.Setenv("SEED", start)
			env.Setenv("DRAWS", strconv.Itoa(*randomN))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "cgo":
				return noCompiler == nil, nil
			case "uring":
				return hasDriver("uring"), nil
			case "root":
				return os.Getuid() == 0, nil
			case "fuse":
				_, err := os.Stat("/dev/fuse")
				return err == nil, nil
			}
			return false, nil
		},
	})
}
