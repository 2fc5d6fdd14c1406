package duel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
)

// worker is a process that performs one load through one side.
type worker struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	enc    *json.Encoder
	dec    *json.Decoder
	stderr bytes.Buffer // read only after the process has been waited for
}

// startWorker starts cmd as a worker.
func startWorker(cmd *exec.Cmd) (*worker, error) {
	w := &worker{cmd: cmd}
	w.cmd.Stderr = &w.stderr
	w.cmd.WaitDelay = time.Second
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a worker process: %w", err)
	}
	w.stdin, w.enc, w.dec = stdin, json.NewEncoder(stdin), json.NewDecoder(stdout)
	return w, nil
}

// Ask sends a request and waits for the reply.
func (w *worker) Ask(req load.Request) (load.Reply, error) {
	var reply load.Reply
	if err := w.enc.Encode(req); err != nil {
		return reply, w.died(err)
	}
	if err := w.dec.Decode(&reply); err != nil {
		return reply, w.died(err)
	}
	if reply.Error != "" {
		return reply, errors.New(reply.Error)
	}
	return reply, nil
}

// died explains why a worker does not answer. What it wrote to stderr, a
// panic's first line for one, says more than the broken pipe does.
func (w *worker) died(err error) error {
	_ = w.stdin.Close()
	if exit := w.cmd.Wait(); exit != nil {
		err = exit
	}
	if line := program.FirstLine(w.stderr.String()); line != "" {
		return fmt.Errorf("worker process: %w: %s", err, line)
	}
	return fmt.Errorf("worker process: %w", err)
}

// Stop ends the worker and waits for it. It may follow died.
func (w *worker) Stop() {
	_ = w.stdin.Close() // the worker takes the end of its input as the end
	_ = w.cmd.Wait()
}
