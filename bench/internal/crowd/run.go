package crowd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/internal/program"
)

// Outcome is the result of a Job.
type Outcome struct {
	// Died is the fatal error of the Go runtime if the process died of one, or else "".
	Died    string        `json:"died,omitempty"`
	Elapsed time.Duration `json:"elapsed"` // time of the reads; until its death, if it died
	Threads int           `json:"threads"` // the most at once
	// Resident is the peak of resident memory in bytes. Stacks and Buffers are the goroutines' part
	// of it. All are 0 if the process died.
	Resident int64  `json:"resident"`
	Stacks   int64  `json:"stacks"`
	Buffers  int64  `json:"buffers"`
	Explain  string `json:"explain,omitempty"`
	Other    Other  `json:"other,omitzero"`
}

// Over returns the memory beyond the goroutines' stacks and buffers, in bytes.
func (o Outcome) Over() int64 { return o.Resident - o.Stacks - o.Buffers }

// Program is a program to start: an executable file, and its arguments, the program's name first.
type Program struct {
	Exe  string
	Argv []string
	Env  []string // in addition to this process's
}

// stderrSize is the most of a process's stderr that Run keeps. The reason of its death comes first,
// before the stacks of many goroutines.
const stderrSize = 16 << 10 // 16 KiB

// Run does the job in a new process. It calls put with the process's id before the reads begin. If
// the process dies of a fatal error of the Go runtime, that is an Outcome. Any other failure, and
// the end of ctx, is an error.
func Run(ctx context.Context, p Program, job Job, put func(pid int) error) (Outcome, error) {
	cmd := program.Command(ctx, p.Exe)
	cmd.Args, cmd.WaitDelay = p.Argv, time.Second
	cmd.Env = append(os.Environ(), p.Env...)
	var stdout bytes.Buffer
	stderr := program.Head{Max: stderrSize}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Outcome{}, err
	}
	if err := cmd.Start(); err != nil {
		return Outcome{}, fmt.Errorf("starting a process: %w", err)
	}
	peak := program.Watch(cmd.Process.Pid)
	err = put(cmd.Process.Pid)
	start := time.Now()
	if err == nil {
		// If the process has already died, that is reported below.
		_ = json.NewEncoder(stdin).Encode(job)
	}
	_ = stdin.Close() // a process without a Job now ends
	failed := cmd.Wait()
	most := peak()
	switch {
	case ctx.Err() != nil:
		return Outcome{}, context.Cause(ctx)
	case err != nil:
		return Outcome{}, err
	}
	o := Outcome{Elapsed: time.Since(start), Threads: most.Threads, Resident: most.RSS}
	return o, o.conclude(failed, stdout.Bytes(), stderr.String())
}

// conclude adds the report of the process, or the fatal error of its death.
func (o *Outcome) conclude(failed error, stdout []byte, stderr string) error {
	if failed == nil {
		var r report
		if err := json.Unmarshal(stdout, &r); err != nil {
			return fmt.Errorf("the process does not say how it went: %w", err)
		}
		o.Elapsed, o.Stacks, o.Buffers, o.Explain, o.Other = r.Elapsed, r.Stacks, r.Buffers, r.Explain, r.Other
		o.Threads, o.Resident = max(o.Threads, r.Peak.Threads), max(o.Resident, r.Peak.RSS)
		return nil
	}
	if words, ok := fatal(stderr); ok {
		o.Died, o.Resident = words, 0
		return nil
	}
	return fmt.Errorf("%w: %s", failed, program.FirstLine(stderr))
}

// fatal returns the Go runtime's message that ended the program.
func fatal(stderr string) (words string, ok bool) {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "runtime: program exceeds") {
			words = strings.TrimSpace(strings.TrimSpace(words) + " " + strings.TrimSpace(line))
		}
	}
	return words, words != ""
}
