package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/sluiceio/sluice/bench/outcomes"
	"github.com/sluiceio/sluice/cmd/sluice/internal/fix"
)

// module is the path of the library's module.
const module = "github.com/sluiceio/sluice"

// Options say how a Run tests.
type Options struct {
	Dir     string   // where the go command runs; "" means the current directory
	Env     []string // of the go command; nil means the environment of the process
	Flags   []string // of go test, and the packages
	Rest    []string // arguments of the test binaries
	Version string   // of the library, for go get; "" means the latest
	// Source is a tree of the library that the requirement is replaced by, unless go.mod already
	// replaces it; "" means none.
	Source string

	// Progress, if it is not nil, is called with what Run does, by one goroutine at a time.
	Progress func(fix.Step)
}

// Report is what a Run found.
type Report struct {
	Before, After *outcomes.Run
	Flaky         []string // tests whose results differ without the change; they do not count
	Alone         []string // tests that differ with the change, but not when they run alone
	Differ        []string // tests whose results differ with the change: all was taken back
	Notes         []string
}

// Run writes the changes of r, which must have some. It takes all back if a test's result
// differs, which the report says, and on an error.
func Run(ctx context.Context, r *fix.Result, o Options) (*Report, error) {
	if o.Progress == nil {
		o.Progress = func(fix.Step) {}
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	root, place, err := place(ctx, o.Dir, o.Env)
	if err != nil {
		return nil, err
	}
	if err := Unfinished(ctx, o.Dir, o.Env); err != nil {
		return nil, err
	}
	v := &verifying{Options: o, result: r, root: root, place: place}
	v.suite = suite{dir: o.Dir, env: o.Env, flags: o.Flags, rest: o.Rest}
	return v.run(ctx)
}

// verifying is a Run.
type verifying struct {
	Options
	result      *fix.Result
	suite       suite
	root, place string
	report      Report
}

func (v *verifying) run(ctx context.Context) (*Report, error) {
	steady, err := v.before(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	b, err := v.keep()
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	err = v.change(ctx)
	if err == nil {
		err = v.after(ctx, steady)
	}
	var alone *outcomes.Run
	if err == nil && len(v.report.Differ) > 0 {
		alone, err = v.alone(ctx, "after")
	}
	if err == nil && len(v.report.Differ) == 0 {
		return &v.report, b.remove()
	}
	if err := takeBack(b, err); err != nil {
		return nil, err
	}
	return &v.report, v.compareAlone(ctx, alone)
}

// takeBack puts the old files back. It returns the error that was the reason, or its own.
func takeBack(b *backup, err error) error {
	if failed := b.restore(); failed != nil {
		return errors.Join(err, fmt.Errorf("not all was taken back: %w", failed))
	}
	if err != nil {
		return fmt.Errorf("%w; everything was taken back", err)
	}
	return nil
}

// alone runs the tests that differ once more, without the rest.
func (v *verifying) alone(ctx context.Context, when string) (*outcomes.Run, error) {
	s := v.suite
	s.flags = append(slices.Clone(s.flags), "-run="+pattern(v.report.Differ))
	doing := fmt.Sprintf("%d tests that differ, alone, %s the change", len(v.report.Differ), when)
	v.Progress(fix.Step{Doing: doing})
	return s.run(ctx, func(*outcomes.Run) {})
}

// compareAlone runs the tests that differ without the change, which was taken back, and compares
// them with their run alone after it. A test with equal results there depends on the clock, on
// chance or on other tests. If no test is left that differs, the change is written again.
func (v *verifying) compareAlone(ctx context.Context, after *outcomes.Run) error {
	v.suite.flags = v.Flags
	before, err := v.alone(ctx, "before")
	if err != nil {
		return fmt.Errorf("%w; everything was taken back", err)
	}
	chance := unsteadyTests(among(v.report.Before, v.report.Differ), before)
	var differ []string
	for _, name := range v.report.Differ {
		was := before.Outcomes[name]
		if was != "" && was == after.Outcomes[name] || !chance.holds(name, v.report.Before) {
			v.report.Alone = append(v.report.Alone, name)
		} else {
			differ = append(differ, name)
		}
	}
	if v.report.Differ = differ; len(differ) > 0 {
		return nil
	}
	b, err := v.keep()
	if err != nil {
		return fmt.Errorf("%w; everything was taken back", err)
	}
	if err := v.change(ctx); err != nil {
		return takeBack(b, err)
	}
	return b.remove()
}

// before runs the tests twice, and returns those whose results do not stay the same.
func (v *verifying) before(ctx context.Context) (unsteady, error) {
	var runs [2]*outcomes.Run
	for i := range runs {
		var err error
		if runs[i], err = v.test(ctx, fmt.Sprintf("tests before the change, run %d of 2", i+1)); err != nil {
			return unsteady{}, err
		}
		if broken := runs[i].Broken; len(broken) > 0 {
			return unsteady{}, fmt.Errorf("the tests of %s do not build before the change: %s", some(broken), outcomes.FirstMessage(runs[i].Build))
		}
		if runs[i].Count("pass")+runs[i].Count("fail") == 0 {
			return unsteady{}, errors.New("no test runs, so nothing can be verified")
		}
	}
	v.report.Before = runs[0]
	u := unsteadyTests(runs[0], runs[1])
	v.report.Flaky = withoutPackages(outcomes.Differences(runs[0].Outcomes, runs[1].Outcomes))
	return u, nil
}

// test runs the tests and shows how far they are.
func (v *verifying) test(ctx context.Context, doing string) (*outcomes.Run, error) {
	v.Progress(fix.Step{Doing: doing})
	packages := 0
	return v.suite.run(ctx, func(r *outcomes.Run) {
		packages++
		v.Progress(fix.Step{Doing: fmt.Sprintf("%s: %d packages, %d passed, %d failed", doing, packages, r.Count("pass"), r.Count("fail"))})
	})
}

// keep backs up all that may change.
func (v *verifying) keep() (*backup, error) {
	var files []string
	news := make(map[string]string)
	for _, f := range v.result.Files {
		files = append(files, f.Name)
		news[f.Name] = hash(f.New)
	}
	for _, dir := range append([]string{v.root}, v.result.Modules...) {
		for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
			if name = filepath.Join(dir, name); !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	return keep(v.root, v.place, files, news)
}

// change writes the files and the requirement.
func (v *verifying) change(ctx context.Context) error {
	v.Progress(fix.Step{Doing: "changing the files"})
	v.suite.flags, v.report.Notes = v.Flags, nil // a second change begins anew
	if err := v.result.Write(); err != nil {
		return err
	}
	for _, dir := range v.result.Modules {
		if err := v.require(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// require has the module in dir require the library, if it does not already.
func (v *verifying) require(ctx context.Context, dir string) error {
	var mod []string
	if v.vendored(dir) {
		mod = []string{"-mod=mod"}
		v.suite.flags = append(mod, v.suite.flags...)
		v.report.Notes = append(v.report.Notes, "the tests after the change did not use the vendor directory: run go mod vendor")
	}
	if _, err := v.goCommand(ctx, dir, slices.Concat([]string{"list"}, mod, []string{"-m", module})...); err == nil {
		return nil
	}
	replaced, err := v.replaced(ctx, dir)
	if err != nil {
		return err
	}
	version := module
	switch {
	case replaced || v.Source != "":
		version += "@v0.0.0" // any version will do
		edit := []string{"mod", "edit", "-require=" + version}
		if !replaced {
			edit = append(edit, "-replace="+module+"="+v.Source)
			v.report.Notes = append(v.report.Notes, "go.mod takes package sluice from "+v.Source)
		}
		if _, err := v.goCommand(ctx, dir, edit...); err != nil {
			return err
		}
	case v.Version != "":
		version += "@" + v.Version
	}
	_, err = v.goCommand(ctx, dir, "get", version)
	return err
}

// replaced reports whether go.mod in dir replaces all versions of the library.
func (v *verifying) replaced(ctx context.Context, dir string) (bool, error) {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(mod.Replace, func(r *modfile.Replace) bool {
		return r.Old.Path == module && r.Old.Version == ""
	}), nil
}

// vendored reports whether the go command takes dependencies from a vendor directory.
func (v *verifying) vendored(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt"))
	return err == nil && dir == v.root
}

func (v *verifying) goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(v.Env), "PWD="+dir)
	endWithGroup(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %s", args[0], lastLines(stderr.String(), 2))
	}
	return string(out), nil
}

// after runs the tests of the changed program, and compares.
func (v *verifying) after(ctx context.Context, u unsteady) error {
	r, err := v.test(ctx, "tests after the change")
	if err != nil {
		return err
	}
	if len(r.Broken) > 0 {
		return fmt.Errorf("the tests of %s do not build after the change: %s", some(r.Broken), outcomes.FirstMessage(r.Build))
	}
	v.report.After = r
	for _, name := range outcomes.Differences(v.report.Before.Outcomes, r.Outcomes) {
		if u.holds(name, v.report.Before) {
			v.report.Differ = append(v.report.Differ, name)
		}
	}
	v.report.Differ = withoutPackages(v.report.Differ)
	return nil
}

// withoutPackages returns the sorted names without the packages of tests that are among them: a
// package fails with its tests.
func withoutPackages(names []string) (list []string) {
	for i, name := range names {
		if i+1 == len(names) || !strings.HasPrefix(names[i+1], name+" ") {
			list = append(list, name)
		}
	}
	return list
}

// some returns the first names of a list.
func some(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
