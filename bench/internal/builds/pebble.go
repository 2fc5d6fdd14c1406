package builds

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sluiceio/sluice/bench/library"
)

// pebbleModule is the place of the program's module, in a tree and after the library's path.
const pebbleModule = "bench/pebble"

// MakePebble builds the program of module bench/pebble, in other respects like Make. Its second
// build compiles Pebble and the standard library, which takes minutes the first time. building is
// called with the command of each build.
func MakePebble(ctx context.Context, dir, exe, name string, building func(command string)) (*Pair, error) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		return nil, errNoGo
	}
	source, work, err := library.Sibling(ctx, pebbleModule)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = os.MkdirTemp(dir, ".sluice-bench-*"); err != nil {
		return nil, err
	}
	p := &Pair{Plain: filepath.Join(dir, "plain"), Sluice: filepath.Join(dir, "sluice"), dir: dir}
	building("go build")
	err = build{exe: goExe, name: "go", dir: source, output: p.Plain, pkg: ".", work: work}.run(ctx)
	if err == nil {
		building("sluice build")
		err = build{exe: exe, name: name, dir: source, output: p.Sluice, pkg: ".", work: work}.run(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}
