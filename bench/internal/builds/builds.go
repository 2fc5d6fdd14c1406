// Package builds has a program that knows os.File alone, and has it built as it is
// and by sluice build.
package builds

import (
	"bytes"
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

// Pair is the program, built twice.
type Pair struct {
	Plain  string // by go build
	Sluice string // by sluice build
	dir    string // of both, where they make files of their own
}

// errNoGo is what there is to say without a Go toolchain.
var errNoGo = errors.New("there is no go command in PATH, which is to build a program: a Go toolchain is needed, one that sluice build knows")

// Make builds the program, in a new directory below dir. Exe and name are this
// very command's: a file, and the name that it is called by. The caller closes
// the Pair.
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

// Close removes all of it.
func (p *Pair) Close() error { return os.RemoveAll(p.dir) }

// writeSource writes the program, as a module of its own.
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

// build runs a go command, or one that is called as it is.
func (p *Pair) build(ctx context.Context, exe, name, output string) error {
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args, cmd.Dir = []string{name, "build", "-o", output, "."}, filepath.Join(p.dir, "source")
	// The user's settings are for the user's modules.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false", "GO111MODULE=on", "GOOS=", "GOARCH=")
	cmd.WaitDelay = time.Second
	program.OwnGroup(cmd)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s build: %w: %s", filepath.Base(name), err, program.FirstLine(out.String()))
	}
	return nil
}
