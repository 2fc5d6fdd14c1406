package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/cli"
	"github.com/sluiceio/sluice/bench/outcomes"
	"github.com/sluiceio/sluice/cmd/sluice/internal/cmdline"
	"github.com/sluiceio/sluice/cmd/sluice/internal/fix"
	"github.com/sluiceio/sluice/cmd/sluice/internal/goflags"
	"github.com/sluiceio/sluice/internal/stress"
)

// stressHelp is the help of `sluice test --stress`.
const stressHelp = "With --stress, the tests run twice: stock, and then with sluice at its worst. " +
	"Reads are queued whenever they can be, completions come late and in another order, transfers are cut short or interrupted, " +
	"and the page cache loses what it had. --seed=N chooses how; it is printed. With --short-reads, a Read may also return fewer bytes " +
	"than there are, as read(2) may. Tests whose results differ are listed by name, and the exit status is 1 then. With -c as well, the test binary is only built: " +
	"SLUICE_STRESS=N in its environment stresses it."

// stressFlags describe the flags of `sluice test`.
var stressFlags = []cmdline.Flag{
	{Names: []string{"--stress"}, Help: "Run the tests stock and under stress, and compare them by name."},
	{Names: []string{"--seed"}, Value: "N", Help: "With --stress: the seed that decides what is late, short and interrupted; default: a new one."},
	{Names: []string{"--short-reads"}, Help: "With --stress: a Read may return fewer bytes than there are."},
}

// stressTag is the build tag of package stress.
const stressTag = "sluice_stress"

// stressTest is `sluice test --stress`.
type stressTest struct {
	seed       uint64
	shortReads bool

	line   *goflags.Line // as the user gave it
	built  *built        // with the library
	counts string        // the file of stress.CountsVariable
}

// parseStress takes the flags of `sluice test --stress` out of args. It returns nil without
// --stress. Arguments after -args are the test binaries'.
func parseStress(args []string) (t *stressTest, rest []string, err error) {
	t = &stressTest{seed: rand.Uint64N(1e6)}
	on := false
	for i := 0; i < len(args); i++ {
		name, value, valued := strings.Cut(strings.TrimPrefix(args[i], "-"), "=")
		switch name = strings.TrimPrefix(name, "-"); {
		case !strings.HasPrefix(args[i], "-"):
			rest = append(rest, args[i])
		case name == "args" || name == "":
			rest = append(rest, args[i:]...)
			i = len(args)
		case name == "stress":
			on, err = flagValue(name, value, valued, err)
		case name == "short-reads":
			t.shortReads, err = flagValue(name, value, valued, err)
		case name == "seed":
			if !valued && i+1 < len(args) {
				i++
				value = args[i]
			}
			t.seed, err = seedValue(value, err)
		default:
			rest = append(rest, args[i])
		}
	}
	switch {
	case on:
	case t.shortReads:
		return nil, args, errors.New("--short-reads is for --stress; want both")
	default: // -seed may be a flag of the tests
		return nil, args, nil
	}
	return t, rest, err
}

// flagValue returns the value of a flag that is on or off. An earlier error stays.
func flagValue(name, value string, valued bool, earlier error) (bool, error) {
	if !valued || earlier != nil {
		return true, earlier
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return true, fmt.Errorf("--%s: %q is neither true nor false; the flag alone turns it on", name, value)
	}
	return on, nil
}

// seedValue returns the value of --seed. An earlier error stays.
func seedValue(value string, earlier error) (uint64, error) {
	seed, err := strconv.ParseUint(value, 10, 64)
	if err != nil && earlier == nil {
		earlier = fmt.Errorf("--seed: %q is not a whole number, or too large", value)
	}
	return seed, earlier
}

// run runs the tests stock and under stress, and compares them.
func (t *stressTest) run(ctx context.Context, args []string, s cli.Streams) error {
	err := t.runLine(ctx, args, s)
	if err == nil || errors.As(err, new(reportedError)) || errors.As(err, new(cli.UsageError)) {
		return err
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("test: %w", err)
}

func (t *stressTest) runLine(ctx context.Context, args []string, s cli.Streams) error {
	line, err := goflags.Parse("test", args)
	if err == nil && line.Has("json") {
		err = errors.New("--stress prints the tests that differ; want -json left out")
	}
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("test: %w", err)}
	}
	env := exec.CommandContext(ctx, "go", "env", "GOFLAGS")
	env.Dir = line.Dir
	flags, err := env.Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	line.Environment(strings.TrimSpace(string(flags)))
	t.line = line.Clone()
	line.AddTag(stressTag)
	if line.Has("c") {
		return t.build(ctx, line)
	}
	if t.built, err = newBuilt(ctx, line, true); err != nil {
		return err
	}
	defer t.built.remove()
	if err := counted(line, t.built.overlay); err != nil {
		return err
	}
	t.counts = filepath.Join(t.built.dir, "counts")
	return t.compare(ctx, s)
}

// build builds the test binaries alone.
func (t *stressTest) build(ctx context.Context, line *goflags.Line) (err error) {
	if t.built, err = newBuilt(ctx, line, true); err != nil {
		return err
	}
	defer t.built.remove()
	if err := t.built.prepareTests(ctx); err != nil {
		return err
	}
	if err := counted(line, t.built.overlay); err != nil {
		return err
	}
	return t.built.run("test")
}

// compare runs the tests and prints the result.
func (t *stressTest) compare(ctx context.Context, s cli.Streams) error {
	p := newFixProgress(s.Err, time.Now())
	p.tests = true
	step, end := p.start()
	r, err := t.both(ctx, step)
	end()
	if err != nil {
		return err
	}
	if err := t.print(s.Out, r); err != nil {
		return err
	}
	if len(r.differ) > 0 {
		return reportedError(1)
	}
	return nil
}

// stressResult is what the runs have found.
type stressResult struct {
	stock, stress *outcomes.Run
	// differ are the tests whose results differ. Those of again also differ in a second run with
	// the same seed. flaky are tests whose results differ from one stock run to the next.
	differ, again, flaky []string
	counts               []stress.Counts
}

// both runs the tests stock and under stress. Tests that differ run again on both sides.
func (t *stressTest) both(ctx context.Context, step func(fix.Step)) (*stressResult, error) {
	r := new(stressResult)
	var err error
	if r.stock, err = t.test(ctx, "stock", step, t.line.Packages, nil); err != nil {
		return nil, err
	}
	if r.stress, err = t.test(ctx, "under stress", step, t.line.Packages, nil); err != nil {
		return nil, err
	}
	if r.counts, err = t.readCounts(); err != nil {
		return nil, err
	}
	differ := withoutPackages(outcomes.Differences(r.stock.Outcomes, r.stress.Outcomes))
	if len(differ) == 0 {
		return r, nil
	}
	packages, pattern := testsOf(differ)
	if pattern != "" {
		pattern = "-run=" + pattern
	}
	stock, err := t.test(ctx, "stock, once more", step, packages, []string{pattern})
	if err != nil {
		return nil, err
	}
	again, err := t.test(ctx, "under stress, once more", step, packages, []string{pattern})
	if err != nil {
		return nil, err
	}
	for _, name := range differ {
		switch {
		case stock.Outcomes[name] != r.stock.Outcomes[name]:
			r.flaky = append(r.flaky, name)
			continue
		case stock.Outcomes[name] != again.Outcomes[name]:
			r.again = append(r.again, name)
		}
		r.differ = append(r.differ, name)
	}
	return r, nil
}

// test runs the tests of packages, with more flags behind the user's. doing begins with "stock" if
// they run without the library.
func (t *stressTest) test(ctx context.Context, doing string, step func(fix.Step), packages, more []string) (*outcomes.Run, error) {
	doing = "tests " + doing
	step(fix.Step{Doing: doing})
	line, stock := t.built.line, strings.HasPrefix(doing, "tests stock")
	if stock {
		line = t.line
	}
	flags := slices.Concat(line.Flags, []string{"-json", "-vet=off"}, more)
	if !line.Set("count") {
		flags = append(flags, "-count=1")
	}
	flags = slices.DeleteFunc(flags, func(flag string) bool { return flag == "" })
	cmd := t.built.command("test", t.built.overlay.File, flags, t.named(packages, stock))
	if stock {
		cmd.Args = slices.Delete(cmd.Args, 2, 3) // -overlay
	} else {
		cmd.Env = append(cmd.Env, stress.Variable+"="+stress.Value(t.seed, t.shortReads), stress.CountsVariable+"="+t.counts)
	}
	number := 0
	r, said, err := readTests(ctx, cmd, func(r *outcomes.Run) {
		number++
		step(fix.Step{Doing: fmt.Sprintf("%s: %d packages, %d passed, %d failed", doing, number, r.Count("pass"), r.Count("fail"))})
	})
	switch {
	case err != nil:
		return nil, err
	case len(r.Broken) > 0:
		return nil, fmt.Errorf("the tests of %s do not build (%s): %s", strings.Join(r.Broken, ", "), doing, outcomes.FirstMessage(r.Build))
	case r.Count("pass")+r.Count("fail")+r.Count("skip") == 0 && len(r.Outcomes) == 0:
		return nil, fmt.Errorf("no test runs (%s): %s", doing, cmp.Or(outcomes.FirstMessage(said), "go test says nothing"))
	}
	return r, nil
}

// named returns the packages for the go command. The overlay's files are for the side with the
// library alone.
func (t *stressTest) named(packages []string, stock bool) []string {
	line := t.line.Clone()
	line.Packages = packages
	if stock {
		return line.Packages
	}
	return named(line, t.built.overlay)
}

// readTests runs go test -json, and returns the results and what it says on standard error. Tests
// that fail are no error.
func readTests(ctx context.Context, cmd *exec.Cmd, each func(r *outcomes.Run)) (r *outcomes.Run, said string, err error) {
	from, to := io.Pipe()
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = to, &text
	cmd.WaitDelay = 10 * time.Second // a test may leave a process behind
	read := make(chan error, 1)
	go func() {
		var err error
		r, err = outcomes.Read(from, each)
		from.CloseWithError(err)
		read <- err
	}()
	err = runForwarding(cmd)
	to.Close()
	failed := <-read
	switch {
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case failed != nil:
		return nil, "", failed
	case err != nil && !errors.As(err, new(statusError)) && !errors.Is(err, exec.ErrWaitDelay):
		return nil, "", err
	}
	return r, text.String(), nil
}

// readCounts returns the counts of the processes so far, and forgets them.
func (t *stressTest) readCounts() ([]stress.Counts, error) {
	f, err := os.Open(t.counts)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return stress.ReadCounts(f)
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

// testsOf returns the packages of tests, and a regular expression for their tests at the top. It is
// "" if a package differs as a whole: then all tests of the packages are meant.
func testsOf(names []string) (packages []string, pattern string) {
	var tests []string
	whole := false
	for _, name := range names {
		pkg, test, ok := strings.Cut(name, " ")
		packages = append(packages, pkg)
		whole = whole || !ok
		top, _, _ := strings.Cut(test, "/")
		tests = append(tests, top)
	}
	slices.Sort(packages)
	slices.Sort(tests)
	packages, tests = slices.Compact(packages), slices.Compact(tests)
	if whole {
		return packages, ""
	}
	return packages, "^(" + strings.Join(tests, "|") + ")$"
}
