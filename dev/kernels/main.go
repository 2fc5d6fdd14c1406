// Command kernels runs the core of the tests on other kernels, in virtual machines of QEMU that
// emulate the processor. It prints how many tests passed, failed and were skipped, by kernel and
// package. The exit status is 1 if any failed.
//
//	go run ./dev/kernels [-debs DIR] [-run PATTERN] [-only PACKAGES] [kernel...]
//
// A kernel is a version, such as 5.10, with "-arm64" for an arm64 processor. DIR has Debian's
// packages of the kernels. The command must run in the root of the source. It needs no root. A line
// names each missing requirement, with the command that installs it.
//
// A machine has two processors, an initramfs with one program (init), a disk with ext4 and one with
// xfs. At its end, DIR/results-KERNEL has all output of its tests, and DIR/console-KERNEL the
// kernel's messages.
//
// It emulates whole processors, because QEMU's user emulation lacks io_uring, Linux AIO and
// preadv2(2).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// kernels are the kernels that run if none is named.
var kernels = []string{"5.10", "6.1", "6.12", "6.12-arm64"}

// options are the command line.
type options struct {
	debs    string
	pattern string // matches the tests to run
	only    []string
	limit   time.Duration
	names   []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	o, err := parseArgs(os.Args[1:])
	if err == nil {
		err = all(ctx, o)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
}

func parseArgs(args []string) (o options, err error) {
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	flags.StringVar(&o.debs, "debs", ".bin/kernels", "the `directory` with the packages linux-image-*.deb")
	flags.StringVar(&o.pattern, "run", ".", "run the tests whose names match this `pattern`, as go test -run")
	packages := flags.String("only", "", "run these `packages` alone, as internal/sys; . is the root")
	flags.DurationVar(&o.limit, "limit", 4*time.Hour, "end a kernel's machine after this time")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.only, o.names = strings.Fields(*packages), flags.Args()
	if len(o.names) == 0 {
		o.names = kernels
	}
	return o, nil
}

var errFailed = errors.New("tests have failed")

func all(ctx context.Context, o options) error {
	failed := false
	for _, name := range o.names {
		r, err := run(ctx, name, o)
		if lacks := missing(""); errors.As(err, &lacks) {
			fmt.Printf("%s: not run: %s\n", name, lacks)
			failed = true
			continue
		}
		if err != nil {
			return err
		}
		r.print(os.Stdout)
		_, n, _ := r.total()
		failed = failed || n > 0 || r.err != nil
	}
	if failed {
		return errFailed
	}
	return nil
}

// run runs the tests on one kernel.
func run(ctx context.Context, name string, o options) (*report, error) {
	if err := os.MkdirAll(o.debs, 0o777); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "sluice-kernels-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	ctx, stop := context.WithTimeout(ctx, o.limit)
	defer stop()
	return boot(ctx, work, name, o)
}

// boot runs the tests in a virtual machine with its files in work.
func boot(ctx context.Context, work, name string, o options) (*report, error) {
	version, arch := name, "amd64"
	if before, ok := strings.CutSuffix(name, "-arm64"); ok {
		version, arch = before, "arm64"
	}
	k, err := unpack(ctx, o.debs, version, arch, filepath.Join(work, "kernel"))
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(work, "tree")
	jobs, err := buildTests(ctx, arch, tree, o)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(work, "init")
	if err := goBuild(ctx, arch, "build", "-o", program, "./dev/kernels/init"); err != nil {
		return nil, err
	}
	m := machine{platform: platforms[arch], kernel: k, dir: work}
	if err := m.build(ctx, program, tree, jobs); err != nil {
		return nil, err
	}
	r := &report{system: "Linux " + k.release}
	if r.err = m.run(ctx); errors.As(r.err, new(missing)) {
		return nil, r.err
	}
	for _, file := range []string{"results", "console"} {
		text, err := os.ReadFile(m.file(file))
		if err != nil {
			return nil, errors.Join(r.err, err)
		}
		if err := os.WriteFile(filepath.Join(o.debs, file+"-"+name), text, 0o666); err != nil {
			return nil, err
		}
		if file == "results" {
			r.results, err = parse(string(text))
			r.err = errors.Join(r.err, err)
		}
	}
	return r, nil
}
