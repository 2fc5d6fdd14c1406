package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/stress"
)

// side is a test binary, and the way to run it.
type side struct {
	binary, dir string
	env, args   []string
	driver      string   // SLUICE_DRIVER, or stressSide; "" leaves it unset
	stress      string   // SLUICE_STRESS; "" leaves it unset
	temp        string   // for temporary files; "" is the default
	exec        []string // the program that runs the binary, and its arguments; may be empty
}

// stressSide is the side in the place of a driver on which the tests are stressed.
const stressSide = "stress"

// whole is the name of the binary's own outcome, whether it succeeded.
const whole = "(whole)"

// outcome is the outcome of each test by name: PASS, FAIL or SKIP.
type outcome map[string]string

// result is the result of a run.
type result struct {
	outcome outcome
	// said is the output of each test. Output outside of tests has the name "".
	said map[string]string
	took time.Duration
	// counts are the operations under stress, of all processes that have ended by themselves.
	counts stress.Counts
}

// run runs the tests whose names match pattern, or all if pattern is "".
func (s side) run(ctx context.Context, pattern string, timeout time.Duration) (*result, error) {
	if len(s.exec) == 0 { // the program of -exec may wait before it runs the binary
		// After timeout the binary ends itself and prints all stacks. This ends a binary that does
		// not.
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, timeout+30*time.Second)
		defer stop()
	}
	args := append([]string{"-test.v=test2json", "-test.paniconexit0", "-test.timeout=" + timeout.String()}, s.args...)
	if pattern != "" {
		args = append(args, "-test.run="+pattern)
	}
	// Some tests make files with fixed names, and another side may run at the same time.
	tmp, err := os.MkdirTemp(s.temp, "c-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	line := slices.Concat(s.exec, []string{s.binary}, args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(environ(), append(slices.Clip(s.env), "PWD="+s.dir, "TMPDIR="+tmp)...)
	counts := tmp + ".counts" // beside the tests' own files
	defer os.Remove(counts)
	switch s.driver {
	case "":
	case stressSide:
		// Other drivers queue no reads through the page cache.
		cmd.Env = append(cmd.Env, "SLUICE_DRIVER=uring", stress.Variable+"="+s.stress, stress.CountsVariable+"="+counts)
	default:
		cmd.Env = append(cmd.Env, "SLUICE_DRIVER="+s.driver)
	}
	cmd.WaitDelay = 10 * time.Second // a test may leave a process behind
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	var counted error
	err = cmd.Run()
	r := read(out.String())
	r.took = time.Since(start)
	if r.counts, counted = sumOf(counts); counted != nil {
		return nil, counted
	}
	r.outcome[whole] = "PASS"
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		r.outcome[whole] = "FAIL"
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	return r, ctx.Err()
}

// missing returns why the driver cannot be used on this system, or "". A binary without sluice is
// an error.
func (s side) missing(ctx context.Context) (why string, err error) {
	s.env = append(slices.Clip(s.env), "SLUICE_STATS=1")
	r, err := s.run(ctx, "^$", time.Minute)
	if err != nil {
		return "", err
	}
	said := strings.Join(slices.Collect(maps.Values(r.said)), "\n")
	driver := s.driver
	if driver == stressSide {
		driver = "uring"
	}
	if strings.Contains(said, "sluice: driver "+driver+":") {
		return "", nil
	}
	if m := notInUse.FindStringSubmatch(said); m != nil {
		return m[1], nil
	}
	return "", fmt.Errorf("with SLUICE_DRIVER=%s the binary does not report that it uses sluice:\n%s", s.driver, said)
}

// sumOf returns the sum of the counts in a file, which need not exist.
func sumOf(name string) (sum stress.Counts, err error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return sum, nil
	}
	if err != nil {
		return sum, err
	}
	defer f.Close()
	all, err := stress.ReadCounts(f)
	for _, c := range all {
		sum.Add(c)
	}
	return sum, err
}

var notInUse = regexp.MustCompile("sluice: not in use: (.*)")

// environ returns the environment without the variables of sluice.
func environ() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SLUICE_") {
			env = append(env, v)
		}
	}
	return env
}

// event matches package testing's own lines. -test.v=test2json puts a mark before them.
var event = regexp.MustCompile(`^ *(?:=== (?:RUN|PAUSE|CONT|NAME) +(\S*)|--- (PASS|FAIL|SKIP|BENCH): (\S+) \(.*\))\n?`)

// read parses the output of a test binary.
func read(text string) *result {
	r := &result{outcome: make(outcome), said: make(map[string]string)}
	name := ""
	for i, part := range strings.Split(text, "\x16") {
		if m := event.FindStringSubmatch(part); i > 0 && m != nil {
			part = part[len(m[0]):]
			name = m[1]
			if m[2] != "" {
				name = m[3]
				r.outcome[name] = m[2]
			}
		}
		r.said[name] += part
	}
	return r
}
