// Package builds builds programs that are compared; it needs a Go toolchain. Make builds one that
// uses only os.File (directory reader) by go build and by sluice build, for `sluice bench
// transparent`; its source is embedded. MakeStarters builds two small programs (directory start),
// for cells that measure a program's start. MakePebble builds the program of module bench/pebble in
// both ways.
package builds

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/sluiceio/sluice/bench/internal/program"
)

//go:embed reader/*.go
var source embed.FS

// Pair is the two builds of the program.
type Pair struct {
	Plain  string // by go build
	Sluice string // by sluice build
	dir    string // holds both, and their files
}

// errNoGo is the error without a Go toolchain.
var errNoGo = errors.New("there is no go command in PATH: this experiment builds a program, and needs a Go toolchain that sluice build supports")

// Make builds the program in a new directory in dir. exe is the executable file of the sluice
// command, which is this program, and name is its Argv[0]. The caller must close the Pair.
func Make(ctx context.Context, dir, exe, name string) (*Pair, error) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		return nil, errNoGo
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if dir, err = os.MkdirTemp(dir, ".sluice-bench-*"); err != nil {
		return nil, err
	}
	p := &Pair{Plain: filepath.Join(dir, "plain"), Sluice: filepath.Join(dir, "sluice"), dir: dir}
	err = writeSource(filepath.Join(dir, "source"))
	if err == nil {
		err = p.build(ctx, goExe, "go", p.Plain)
	}
	if err == nil {
		err = p.build(ctx, exe, name, p.Sluice)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close removes the directory.
func (p *Pair) Close() error { return os.RemoveAll(p.dir) }

// writeSource writes the program as a module.
func writeSource(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	const module = "module example.com/reader\n\ngo 1.25\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o666); err != nil {
		return err
	}
	entries, err := source.ReadDir("reader")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := source.ReadFile(path.Join("reader", e.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// build runs `go build` or `sluice build`, by name.
func (p *Pair) build(ctx context.Context, exe, name, output string) error {
	return build{exe: exe, name: name, dir: filepath.Join(p.dir, "source"), output: output, pkg: "."}.run(ctx)
}

// build is one run of a build command.
type build struct {
	exe, name   string // the command's executable file and Argv[0]
	dir         string // the working directory
	output, pkg string
	work        string // the go.work file; "" for none
}

func (b build) run(ctx context.Context) error {
	cmd := program.Command(ctx, b.exe)
	cmd.Args, cmd.Dir = []string{b.name, "build", "-o", b.output, b.pkg}, b.dir
	// The user's settings are for other modules.
	cmd.Env = append(os.Environ(), "GOWORK="+cmp.Or(b.work, "off"), "GOFLAGS=-buildvcs=false", "GO111MODULE=on", "GOOS=", "GOARCH=")
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		name := "sluice"
		if b.name == "go" {
			name = b.name
		}
		return fmt.Errorf("%s build: %w: %s", name, err, program.FirstLine(out.String()))
	}
	return nil
}
