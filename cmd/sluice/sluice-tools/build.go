package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/library"
	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
	"github.com/sluiceio/sluice/cmd/sluice/internal/overlay"
)

// buildCmd is `sluice build`.
type buildCmd struct {
	Args []string `arg:"" optional:"" help:"Flags and packages of go build."`
}

// installCmd is `sluice install`.
type installCmd struct {
	Args []string `arg:"" optional:"" help:"Flags and packages of go install."`
}

// runCmd is `sluice run`.
type runCmd struct {
	Args []string `arg:"" optional:"" help:"Flags of go run, a package or Go files, and the program's arguments."`
}

// testCmd is `sluice test`.
type testCmd struct {
	Args []string `arg:"" optional:"" help:"Flags and packages of go test; --stress, and its flags."`
}

// builtHelp is the help of the four commands.
const builtHelp = "The program's reads, writes and syncs of regular files and block devices go through sluice. " +
	"Its tree and the toolchain stay as they are. In the program's environment, SLUICE_DRIVER=uring, aio or pool chooses the driver, " +
	"SLUICE_DRIVER=off turns sluice off, SLUICE_TRACE=FILE records a trace, and SLUICE_STATS=1 prints a line at exit. See docs/transparent.md in github.com/sluiceio/sluice."

// Help returns the text below the list of flags.
func (*buildCmd) Help() string { return builtHelp }

// Help returns the text below the list of flags.
func (*installCmd) Help() string { return builtHelp }

// Help returns the text below the list of flags.
func (*runCmd) Help() string { return builtHelp }

// Help returns the text below the list of flags.
func (*testCmd) Help() string { return builtHelp + "\n\n" + stressHelp }

// Run runs go build.
func (c *buildCmd) Run(ctx context.Context, k *kong.Context) error {
	return transparently(ctx, k, "build", c.Args)
}

// Run runs go install.
func (c *installCmd) Run(ctx context.Context, k *kong.Context) error {
	return transparently(ctx, k, "install", c.Args)
}

// Run runs go run.
func (c *runCmd) Run(ctx context.Context, k *kong.Context) error {
	return transparently(ctx, k, "run", c.Args)
}

// Run runs go test.
func (c *testCmd) Run(ctx context.Context, k *kong.Context, s cli.Streams) error {
	stress, args, err := parseStress(c.Args)
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("%s: %w", "test", err)}
	}
	if stress == nil {
		return transparently(ctx, k, "test", c.Args)
	}
	return stress.run(ctx, args, s)
}

// transparently runs a command of the go command with an overlay.
func transparently(ctx context.Context, k *kong.Context, command string, args []string) error {
	// Kong does not parse these flags
	if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		return k.PrintUsage(false)
	}
	line, err := goflags.Parse(command, args)
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("%s: %w", command, err)}
	}
	b, err := newBuilt(ctx, line, command == "test")
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	defer b.remove()
	if command == "test" {
		if err = b.prepareTests(ctx); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	if err := counted(line, b.overlay); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return b.run(command)
}

// prepareTests prepares a run of go test.
func (b *built) prepareTests(ctx context.Context) error {
	if os.Getenv("SLUICE_TRACE") != "" && !b.line.Set("count") {
		// A result that the go command remembers records nothing
		b.line.Flags = append(b.line.Flags, "-count=1")
	}
	return b.vet(ctx)
}

// newBuilt writes the overlay for what line builds, in a temporary directory.
func newBuilt(ctx context.Context, line *goflags.Line, tests bool) (*built, error) {
	dir, err := os.MkdirTemp("", "sluice-overlay-")
	if err != nil {
		return nil, err
	}
	b := &built{line: line, dir: dir}
	// The go command's tools run in other directories
	if b.dir, err = filepath.Abs(dir); err == nil {
		b.overlay, err = writeOverlay(ctx, b.dir, overlayStore(), line, tests)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	line.Environment(b.overlay.GOFLAGS)
	return b, nil
}

// overlayStore returns the directory of what overlays are made of, or "" if the user has no cache.
func overlayStore() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sluice", "overlay")
}

// writeOverlay writes the overlay for what line builds. store is for overlay.Request.
func writeOverlay(ctx context.Context, dir, store string, line *goflags.Line, tests bool) (*overlay.Overlay, error) {
	source, err := library.Dir(ctx)
	if err != nil {
		return nil, err
	}
	o, err := overlay.Write(ctx, dir, overlay.Request{
		Source: source, Dir: line.Dir, Flags: line.Select, Packages: line.Packages, Tests: tests, Store: store,
	})
	if err != nil {
		return nil, err
	}
	for _, note := range o.Notes {
		fmt.Fprintln(os.Stderr, "sluice: note:", note)
	}
	return o, nil
}

// named returns the packages for the go command. If they are Go files, it adds the
// overlay's files of their directory, by the directory's name in the other files.
func named(line *goflags.Line, o *overlay.Overlay) []string {
	packages := slices.Clone(line.Packages)
	if len(packages) > 0 && filepath.Ext(packages[0]) == ".go" {
		for _, added := range o.Added {
			packages = append(packages, filepath.Join(filepath.Dir(packages[0]), filepath.Base(added)))
		}
	}
	return packages
}

// built is what is built, and with which overlay.
type built struct {
	line    *goflags.Line
	overlay *overlay.Overlay
	dir     string // of the overlay
	failed  []*vetFailure
}

// remove removes the overlay.
func (b *built) remove() { _ = os.RemoveAll(b.dir) }

// run runs the go command. It prints its own errors; its exit status becomes that of this command.
func (b *built) run(command string) error {
	cmd := b.command(command, b.overlay.File, b.line.Flags, named(b.line, b.overlay))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	end := b.showFailures(cmd)
	err := errors.Join(runForwarding(cmd), end())
	if exit, ok := errors.AsType[statusError](err); ok {
		return reportedError(exit.status)
	}
	return err
}

// command returns a command of the go command with file, one of the overlay's.
func (b *built) command(name, file string, flags, packages []string) *exec.Cmd {
	args := []string{name, "-overlay=" + file}
	if name == "test" { // it takes no packages after a flag that it does not know
		args = append(append(args, packages...), flags...)
		if len(b.line.Rest) > 0 {
			args = append(args, "-args")
		}
	} else {
		args = append(append(args, flags...), packages...)
	}
	if name != "vet" {
		args = append(args, b.line.Rest...)
	}
	cmd := exec.Command(b.overlay.Go, args...)
	cmd.Dir = b.line.Dir
	// PWD stays as it is, as with go -C and as when the overlay was made. With another
	// PWD, through a symbolic link, the go command would use other names for the files,
	// and would not find them in the overlay.
	cmd.Env = append(os.Environ(), b.overlay.Env...)
	return cmd
}
