package main

import (
	"errors"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// compactionWrites is the category of compactions' writes.
const compactionWrites vfs.DiskWriteCategory = "pebble-compaction"

// pacedFS is an FS whose compactions write at the rate of a pacer.
type pacedFS struct {
	vfs.FS
	pacer *pacer
}

// Create creates a file.
func (s pacedFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, category)
	if err != nil || category != compactionWrites {
		return f, err
	}
	return pacedFile{f, s.pacer}, nil
}

// pacedFile is a file that a compaction writes.
type pacedFile struct {
	vfs.File
	pacer *pacer
}

// Write waits for the pacer, and writes the bytes.
func (f pacedFile) Write(b []byte) (int, error) {
	if err := f.pacer.wait(len(b)); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// pacer limits the rate of all compactions together. They may catch up with writes that they could
// have made in the last maxBehind.
type pacer struct {
	rate    int64         // bytes a second; 0 is no limit
	stopped chan struct{} // closed by stop
	once    sync.Once     // closes stopped once

	mu      sync.Mutex // guards next and written
	next    time.Time  // when the next byte may be written
	written int64
}

const maxBehind = 100 * time.Millisecond

var errStopped = errors.New("the slice has ended, and the compaction with it")

func newPacer(rate int64) *pacer { return &pacer{rate: rate, stopped: make(chan struct{})} }

// wait waits until n bytes may be written. It fails once the pacer is stopped.
func (p *pacer) wait(n int) error {
	timer := time.NewTimer(p.reserve(n, time.Now()))
	defer timer.Stop()
	select {
	case <-p.stopped:
		return errStopped
	case <-timer.C:
		return nil
	}
}

// reserve counts n bytes, and returns how long after now they may be written.
func (p *pacer) reserve(n int, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written += int64(n)
	if p.rate == 0 {
		return 0
	}
	if earliest := now.Add(-maxBehind); p.next.Before(earliest) {
		p.next = earliest
	}
	pause := p.next.Sub(now)
	p.next = p.next.Add(time.Duration(int64(n) * int64(time.Second) / p.rate))
	return max(0, pause)
}

// total returns the number of bytes that were written.
func (p *pacer) total() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written
}

// stop makes all writes fail from now on, waiting ones too.
func (p *pacer) stop() { p.once.Do(func() { close(p.stopped) }) }
