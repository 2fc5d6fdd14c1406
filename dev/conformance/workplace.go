package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// workplace is the directory in which everything is built.
type workplace struct {
	source string   // the root of sluice's module
	dir    string   // the directory to build in
	memory string   // a directory in memory; "" if there is none
	off    bool     // the plain side is also built with sluice
	builds []string // which binaries are needed: plain, sluice, stress
}

// suites builds the test binaries of names. The standard library's come first.
func (w *workplace) suites(ctx context.Context, names []string) ([]*suite, error) {
	standard, programs, err := choose(names)
	if err != nil {
		return nil, err
	}
	var all []*suite
	if len(standard) > 0 {
		if all, err = w.standard(ctx, standard); err != nil {
			return nil, err
		}
	}
	for _, p := range programs {
		more, err := w.program(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, more...)
	}
	return all, nil
}

// buildsFor returns which binaries are needed for these drivers.
func buildsFor(drivers []string, off bool) []string {
	builds := []string{"plain"}
	if off || slices.ContainsFunc(drivers, func(name string) bool { return name != stressSide }) {
		builds = append(builds, "sluice")
	}
	if slices.Contains(drivers, stressSide) {
		builds = append(builds, "stress")
	}
	return builds
}

// lacks reports whether the binary of a side is needed and not there.
func (w *workplace) lacks(v side) bool {
	return slices.Contains(w.builds, filepath.Base(filepath.Dir(v.binary))) && !there(v.binary)
}

// choose splits names into packages of the standard library and programs.
func choose(names []string) (standard []string, chosen []*program, err error) {
	if len(names) == 0 {
		return standardPackages, programs, nil
	}
names:
	for _, name := range names {
		for _, p := range programs {
			if p.name == name {
				chosen = append(chosen, p)
				continue names
			}
		}
		if strings.Contains(strings.Split(name, "/")[0], ".") {
			return nil, nil, fmt.Errorf("%s is neither a package of the standard library nor a known program", name)
		}
		standard = append(standard, name)
	}
	return standard, chosen, nil
}

// tool builds sluice-tools, unless it exists, and returns its file name.
func (w *workplace) tool(ctx context.Context) (string, error) {
	sluice := filepath.Join(w.dir, "sluice.exe")
	if there(sluice) {
		return sluice, nil
	}
	_, err := command(ctx, filepath.Join(w.source, "cmd", "sluice"), nil, "go", "build", "-o", sluice, "./sluice-tools")
	return sluice, err
}

// command runs a command, with env added to the environment, and returns its standard output.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out), nil
}

// there reports whether a file or directory exists, from an earlier run.
func there(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// copyTree copies a directory, unless the copy exists. It makes the copy writable for its owner.
func copyTree(ctx context.Context, to, from string) error {
	if there(to) {
		return nil
	}
	if _, err := command(ctx, "", nil, "cp", "-r", from, to); err != nil {
		return err
	}
	_, err := command(ctx, "", nil, "chmod", "-R", "u+w", to)
	return err
}
