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
)

// side is a test binary, and how it is run.
type side struct {
	binary, dir string
	env, args   []string
	driver      string   // of sluice; "" is not set
	temp        string   // where temporary files are made; "" is the usual place
	exec        []string // what the binary is run by; none is nothing
}

// whole stands for a binary among its tests: whether it succeeded.
const whole = "(whole)"

// outcome is what came of each test, PASS, FAIL or SKIP, by name.
type outcome map[string]string

// result is what a run gave.
type result struct {
	outcome outcome
	// said is what each test printed; that of none, what was printed outside.
	said map[string]string
	took time.Duration
}

// run runs those tests whose whole names match pattern, or all if that is "".
func (s side) run(ctx context.Context, pattern string, timeout time.Duration) (*result, error) {
	if len(s.exec) == 0 { // a program may wait before it runs the binary
		// The binary ends itself after timeout, with all its stacks.
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, timeout+30*time.Second)
		defer stop()
	}
	args := append([]string{"-test.v=test2json", "-test.paniconexit0", "-test.timeout=" + timeout.String()}, s.args...)
	if pattern != "" {
		args = append(args, "-test.run="+pattern)
	}
	// Some tests make files of fixed names, and another side may run at once.
	tmp, err := os.MkdirTemp(s.temp, "c-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	line := slices.Concat(s.exec, []string{s.binary}, args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(environ(), append(slices.Clip(s.env), "PWD="+s.dir, "TMPDIR="+tmp)...)
	if s.driver != "" {
		cmd.Env = append(cmd.Env, "SLUICE_DRIVER="+s.driver)
	}
	cmd.WaitDelay = 10 * time.Second // a test may leave a process behind
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err = cmd.Run()
	r := read(out.String())
	r.took = time.Since(start)
	r.outcome[whole] = "PASS"
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		r.outcome[whole] = "FAIL"
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	return r, ctx.Err()
}

// missing tells why the driver is not in use on this system; "" if it is. A binary
// that does not know of sluice is an error.
func (s side) missing(ctx context.Context) (why string, err error) {
	s.env = append(slices.Clip(s.env), "SLUICE_STATS=1")
	r, err := s.run(ctx, "^$", time.Minute)
	if err != nil {
		return "", err
	}
	said := strings.Join(slices.Collect(maps.Values(r.said)), "\n")
	if strings.Contains(said, "sluice: driver "+s.driver+":") {
		return "", nil
	}
	if m := notInUse.FindStringSubmatch(said); m != nil {
		return m[1], nil
	}
	return "", fmt.Errorf("with SLUICE_DRIVER=%s it does not say that it goes through sluice:\n%s", s.driver, said)
}

var notInUse = regexp.MustCompile("sluice: not in use: (.*)")

// environ is the environment without settings of sluice.
func environ() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SLUICE_") {
			env = append(env, v)
		}
	}
	return env
}

// event is what follows the mark that -test.v=test2json puts before each line of
// package testing's own.
var event = regexp.MustCompile(`^ *(?:=== (?:RUN|PAUSE|CONT|NAME) +(\S*)|--- (PASS|FAIL|SKIP|BENCH): (\S+) \(.*\))\n?`)

// read reads what a test binary wrote.
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
