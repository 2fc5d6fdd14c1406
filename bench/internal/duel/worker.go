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

// workers performs each slice by a new worker process.
type workers struct {
	start func() (*worker, error)
	setup load.Setup
}

// Setup lets a worker prepare the page cache for the load, and try the load.
func (w *workers) Setup(s load.Setup) (load.Reply, error) {
	w.setup = s
	one, reply, err := w.begin()
	if one != nil {
		one.stop()
	}
	w.setup.Prepared = true
	return reply, err
}

// begin starts a worker, and sends it the setup.
func (w *workers) begin() (*worker, load.Reply, error) {
	one, err := w.start()
	if err != nil {
		return nil, load.Reply{}, err
	}
	reply, err := one.ask(load.Request{Setup: &w.setup})
	return one, reply, err
}

// Slice runs a worker for one slice.
func (w *workers) Slice(s load.SliceReq) (reply load.Reply, threads int, err error) {
	one, reply, err := w.begin()
	if one != nil {
		defer one.stop()
	}
	if err != nil || reply.Unsupported != "" {
		return reply, 0, err
	}
	peak := program.Watch(one.cmd.Process.Pid)
	reply, err = one.ask(load.Request{Slice: &s})
	return reply, peak().Threads, err
}

// Stop does nothing: no process is left after a slice.
func (w *workers) Stop() {}

// worker is a process that performs one load through one side.
type worker struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	enc    *json.Encoder
	dec    *json.Decoder
	stderr bytes.Buffer // read only after the process has been waited for
}

// startWorker starts cmd as a worker, in the group if it is not nil.
func startWorker(cmd *exec.Cmd, group Group) (*worker, error) {
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
	if group == nil {
		return w, nil
	}
	if err := group.Add(cmd.Process.Pid); err != nil { // it waits for its first request
		w.stop()
		return nil, err
	}
	return w, nil
}

// ask sends a request and waits for the reply.
func (w *worker) ask(req load.Request) (load.Reply, error) {
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

// died explains why a worker does not answer. Its stderr, for example a panic's first line, tells
// more than the broken pipe.
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

// stop ends the worker and waits for it. It may follow died.
func (w *worker) stop() {
	_ = w.stdin.Close() // the worker ends at the end of its input
	_ = w.cmd.Wait()
}
