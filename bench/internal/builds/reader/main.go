//go:build linux

// Command reader performs I/O with many goroutines through os.File, without any knowledge of
// sluice. `sluice bench transparent` builds it by go build and by sluice build.
//
// It reads requests and answers them like a worker of package load or, with the argument crowd,
// like a process of package crowd. It declares the messages of both again, because its module
// imports only the standard library.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/metrics"
	"sync"
	"syscall"
	"time"
)

func main() {
	signal.Ignore(os.Interrupt) // Ctrl-C reaches the whole process group; the parent handles it
	serve := work
	if len(os.Args) > 1 && os.Args[1] == "crowd" {
		serve = crowd
	}
	if err := serve(json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// page is the size of a crowd's reads, and the alignment of buffers.
const page = 4 << 10 // 4 KiB

// memory returns n bytes at an address that O_DIRECT accepts, with all pages present.
func memory(n int) ([]byte, error) {
	const flags = syscall.MAP_PRIVATE | syscall.MAP_ANON | syscall.MAP_POPULATE
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	return b, os.NewSyscallError("mmap", err)
}

// crowd reads with many goroutines, one page each, all at once.
func crowd(in *json.Decoder, out *json.Encoder) error {
	var job struct {
		Path       string
		Direct     bool
		Goroutines int
	}
	if err := in.Decode(&job); err != nil {
		return err
	}
	flag := os.O_RDONLY
	if job.Direct {
		flag |= syscall.O_DIRECT
	}
	f, err := os.OpenFile(job.Path, flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	slab, err := memory(job.Goroutines * page)
	if err != nil {
		return err
	}
	errs := make(chan error, job.Goroutines)
	begin := make(chan struct{})
	for g := range job.Goroutines {
		go func() {
			<-begin
			const prime = 7919 // successive goroutines read far from each other
			_, err := f.ReadAt(slab[g*page:][:page], int64(g*prime%job.Goroutines)*page)
			errs <- err
		}()
	}
	start := time.Now()
	close(begin)
	stacks, err := wait(errs, job.Goroutines)
	if err != nil {
		return err
	}
	return out.Encode(map[string]any{"elapsed": time.Since(start), "stacks": stacks, "buffers": len(slab)})
}

// wait waits for n reads. It returns the peak of the memory of stacks during the wait, in bytes.
func wait(errs <-chan error, n int) (stacks uint64, err error) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for done := 0; done < n; {
		select {
		case e := <-errs:
			done++
			err = errors.Join(err, e)
		case <-tick.C:
			metrics.Read(sample)
			stacks = max(stacks, sample[0].Value.Uint64())
		}
	}
	return stacks, err
}

// request has the fields of load.Request that are used here.
type request struct {
	Setup *struct {
		Path string
		Load load
	}
	Slice *struct {
		Lead, Time time.Duration
		Seed       uint64
	}
}

// slice is load.Slice.
type slice struct {
	Ops     float64       `json:"ops"`
	Elapsed time.Duration `json:"elapsed"`
	CPU     time.Duration `json:"cpu"`
	Mean    time.Duration `json:"mean"`
}

// reply is load.Reply.
type reply struct {
	Error       string `json:"error,omitempty"`
	Unsupported string `json:"unsupported,omitempty"`
	Slice       *slice `json:"slice,omitempty"`
}

// work answers requests until there are no more.
func work(in *json.Decoder, out *json.Encoder) error {
	var w *worker
	for {
		var req request
		err := in.Decode(&req)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r reply
		switch {
		case req.Setup != nil:
			w, err = newWorker(req.Setup.Path, req.Setup.Load)
		case w != nil && req.Slice != nil:
			r.Slice, err = w.slice(req.Slice.Lead, req.Slice.Time, req.Slice.Seed)
		default:
			err = errors.New("request out of turn")
		}
		switch {
		case errors.Is(err, syscall.EINVAL) && req.Setup != nil && req.Setup.Load.direct():
			r.Unsupported = "no O_DIRECT on this file system"
		case err != nil:
			r.Error = err.Error()
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

// worker performs one load.
type worker struct {
	load    load
	clients []*client
	phase   phase
	end     func() error // called after each slice
}

// newWorker makes the clients, and performs one operation.
func newWorker(path string, l load) (*worker, error) {
	w := &worker{load: l}
	do, err := l.open(path)
	if err != nil {
		return nil, err
	}
	w.end = do.end
	for range l.Goroutines {
		buf, err := memory(l.buffer())
		if err != nil {
			return nil, err
		}
		w.clients = append(w.clients, &client{buf: buf, op: do.client()})
	}
	return w, w.clients[0].op(w.clients[0].buf, 0) // fails if O_DIRECT does not work on the file
}

// slice measures for a time, after a lead-in.
func (w *worker) slice(lead, length time.Duration, seed uint64) (*slice, error) {
	var all sync.WaitGroup
	w.phase.Store(leading)
	for i, l := range w.clients {
		l.ops, l.err = 0, nil
		l.seed(seed, uint64(i))
		all.Go(func() { l.run(&w.phase, w.load) })
	}
	time.Sleep(lead)
	w.phase.Store(counting)
	start, before := time.Now(), cpu()
	time.Sleep(length)
	w.phase.Store(over)
	s := &slice{Elapsed: time.Since(start), CPU: cpu() - before}
	all.Wait()
	for _, l := range w.clients {
		if l.err != nil {
			return nil, l.err
		}
		s.Ops += float64(l.ops)
	}
	if s.Ops > 0 {
		s.Mean = time.Duration(float64(s.Elapsed) * float64(len(w.clients)) / s.Ops)
	}
	return s, w.end()
}

// cpu returns the processor time of the process.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
