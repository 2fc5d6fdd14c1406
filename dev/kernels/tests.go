package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/sluiceio/sluice/dev/kernels/guest"
)

// buildTests builds the test binaries into tree, each beside its package's testdata. It returns the
// jobs that run them in a virtual machine, whose first disk is the tree.
func buildTests(ctx context.Context, arch, tree string, o options) (jobs []guest.Job, err error) {
	for _, s := range suites {
		if len(o.only) > 0 && !slices.Contains(o.only, s.pkg) {
			continue
		}
		dir := filepath.Join("tests", s.pkg)
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o777); err != nil {
			return nil, err
		}
		if err := goBuild(ctx, arch, "test", "-c", "-o", filepath.Join(tree, dir, testBinary), "./"+s.pkg); err != nil {
			return nil, err
		}
		data := filepath.Join(s.pkg, "testdata")
		if _, err := os.Stat(data); err == nil {
			err = os.CopyFS(filepath.Join(tree, dir, "testdata"), os.DirFS(data))
			if err != nil {
				return nil, err
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		job := guest.Job{Name: s.pkg, Dir: filepath.Join(guest.Disk, dir), Temp: filepath.Join(guest.Disk, "tmp")}
		if s.pkg == "." {
			job.Name = "the root package"
		}
		job.Args = append([]string{
			filepath.Join(job.Dir, testBinary), "-test.v=test2json", "-test.timeout=40m", "-test.run=" + o.pattern, "-test.skip=" + skipPattern(),
		}, s.args...)
		jobs = append(jobs, job)
		if slices.Contains(onSecond, s.pkg) {
			job.Name += ", on xfs"
			job.Temp = guest.Second
			jobs = append(jobs, job)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("no package is one of %q", o.only)
	}
	return jobs, nil
}

// testBinary is the name of the test binary in the directory of a package's tests.
const testBinary = "sluice.test"

// goBuild runs the go command for another machine, without a C library.
func goBuild(ctx context.Context, arch string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %q: %w\n%s", args, err, bytes.TrimSpace(out))
	}
	return nil
}
