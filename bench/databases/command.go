package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// command is a program that is measured as a whole, each time with a cold page cache. Each argument
// list is one run. They run in the directory of the case's data.
type command struct {
	pkg    string     // the package of its main function
	module string     // with version, if the package is of a module that is built in its own tree
	env    []string   // in addition to this process's
	before [][]string // before each measured run; with made, only if that is missing
	made   string     // the directory that before makes, and that stays
	args   []string   // of the measured run
	remove string     // the directory that is removed before each run
}

// commandFiles is the directory that commands read. Its files have fileSize bytes on average, and
// are perDirectory in a directory.
const (
	commandFiles = "files"
	fileSize     = 16 * valueSize
	perDirectory = 256
)

func files(records int) int { return max(1, records*valueSize/fileSize) }

// fillFiles makes the files.
func fillFiles(dir string, records int) error {
	random := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 2*fileSize)
	for i := range files(records) {
		sub := filepath.Join(dir, commandFiles, strconv.Itoa(i/perDirectory))
		if i%perDirectory == 0 {
			if err := os.MkdirAll(sub, 0o777); err != nil {
				return err
			}
		}
		b := content[:1+random.IntN(len(content))]
		for j := range b {
			b[j] = byte(random.Uint32())
		}
		if err := os.WriteFile(filepath.Join(sub, strconv.Itoa(i)), b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) plain(p *place) string { return filepath.Join(p.dir, filepath.Base(c.pkg)+"-plain") }

func (c *command) sluice(p *place) string {
	return filepath.Join(p.dir, filepath.Base(c.pkg)+"-sluice-build")
}

// build builds the command by go build and by sluice build.
func (c *command) build(ctx context.Context, p *place) error {
	dir := "."
	if c.module != "" {
		var err error
		if dir, err = p.source(ctx, c.module); err != nil {
			return err
		}
	}
	if err := p.goBuild(ctx, "go", c.plain(p), dir, c.pkg); err != nil {
		return err
	}
	return p.goBuild(ctx, filepath.Join(p.dir, "sluice"), c.sluice(p), dir, c.pkg)
}

// source returns a tree of a module: sluice build needs one that is the main module.
func (p *place) source(ctx context.Context, module string) (string, error) {
	name, _, _ := strings.Cut(path.Base(module), "@")
	dir := filepath.Join(p.dir, name+"-source")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	cmd := program.Command(ctx, "go", "mod", "download", "-json", module)
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(text, &found); err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(found.Dir))
}

// compareCommand runs both builds in turn. The first two runs do not count.
func (p *place) compareCommand(ctx context.Context, c *testCase, dir string, records int) ([]*duel.Result, error) {
	fmt.Fprintf(os.Stderr, "%s\n", c.name)
	exes := []string{c.command.plain(p), c.command.sluice(p)}
	results := []*duel.Result{{Side: builtSides[0]}, {Side: builtSides[1]}}
	for round := range p.rounds + 1 {
		for k := range exes {
			i := k
			if round%2 == 1 { // no side always runs first
				i = len(exes) - 1 - k
			}
			u, err := c.command.run(ctx, exes[i], dir)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", results[i].Side.Name, err)
			}
			if round == 0 {
				continue
			}
			results[i].Threads = max(results[i].Threads, u.Threads)
			results[i].Rounds = append(results[i].Rounds, load.Slice{
				Ops: float64(files(records)), Elapsed: u.Elapsed, CPU: u.CPU,
			})
		}
	}
	return results, nil
}

// run runs the command once.
func (c *command) run(ctx context.Context, exe, dir string) (program.Usage, error) {
	if c.remove != "" {
		if err := os.RemoveAll(filepath.Join(dir, c.remove)); err != nil {
			return program.Usage{}, err
		}
	}
	if err := c.prepare(ctx, exe, dir); err != nil {
		return program.Usage{}, err
	}
	if err := dropCaches(dir); err != nil {
		return program.Usage{}, err
	}
	return c.start(ctx, exe, dir, c.args)
}

// prepare runs what comes before a measured run. Beside the directory that stays is an empty file,
// made last: without it the directory was interrupted, and does not count.
func (c *command) prepare(ctx context.Context, exe, dir string) error {
	whole := filepath.Join(dir, c.made+".whole")
	if c.made != "" {
		if _, err := os.Stat(whole); err == nil {
			return nil
		}
		if err := os.RemoveAll(filepath.Join(dir, c.made)); err != nil {
			return err
		}
	}
	for _, args := range c.before {
		if _, err := c.start(ctx, exe, dir, args); err != nil {
			return err
		}
	}
	if c.made == "" {
		return nil
	}
	return os.WriteFile(whole, nil, 0o666)
}

// start runs the command in the directory with these arguments. The shell becomes the command. The
// user's SLUICE_DRIVER and the like do not count.
func (c *command) start(ctx context.Context, exe, dir string, args []string) (program.Usage, error) {
	const script = `cd "$1" && shift && exec env "$@" >/dev/null`
	return program.Run(ctx, "/bin/sh", slices.Concat([]string{"sh", "-c", script, "sh", dir}, duel.Environment(""), c.env, []string{exe}, args))
}

// dropCaches writes what is dirty, and drops the page cache, names and inodes.
func dropCaches(dir string) error {
	unix.Sync()
	if err := tree.Evict(dir); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		return fmt.Errorf("dropping the page cache, which takes root: %w", err)
	}
	return nil
}
