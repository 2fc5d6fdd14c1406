package main

import (
	"errors"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestReserve has its own clock, a rate of 1000 bytes a second, and 100 bytes to catch up with.
func TestReserve(t *testing.T) {
	p := newPacer(1000)
	now := time.Now()
	for i, c := range []struct {
		after time.Duration // since the previous write
		bytes int
		want  time.Duration
	}{
		{0, 100, 0}, // the pacer catches up
		{0, 500, 0},
		{0, 200, 500 * time.Millisecond},
		{600 * time.Millisecond, 100, 100 * time.Millisecond},
		{time.Hour, 100, 0},
		{0, 100, 0},
		{0, 1, 100 * time.Millisecond},
	} {
		now = now.Add(c.after)
		if got := p.reserve(c.bytes, now); got != c.want {
			t.Errorf("write %d waits %v; want %v", i, got, c.want)
		}
	}
	if got := p.total(); got != 1101 {
		t.Errorf("total = %d; want 1101", got)
	}
}

// TestPaced checks which files are paced, and that stop ends a Write that waits.
func TestPaced(t *testing.T) {
	p := newPacer(1)
	fs := pacedFS{vfs.NewMem(), p}
	log, err := fs.Create("log", "pebble-wal")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Write(make([]byte, 1000)); err != nil || p.total() != 0 {
		t.Errorf("a Write to the log = %v, %d bytes paced; want none", err, p.total())
	}
	table, err := fs.Create("table", compactionWrites)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := table.Write(make([]byte, 1000)); n != 1000 || err != nil {
		t.Errorf("the first Write = %d, %v; want 1000, nil", n, err)
	}
	ended := make(chan error)
	go func() {
		_, err := table.Write([]byte{1}) // it would wait for 1000 s
		ended <- err
	}()
	p.stop()
	p.stop()
	if err := <-ended; !errors.Is(err, errStopped) {
		t.Errorf("Write after stop = %v; want %v", err, errStopped)
	}
	if info, err := fs.Stat("table"); err != nil || info.Size() != 1000 {
		t.Errorf("the table has %d bytes, %v; want 1000", info.Size(), err)
	}
}
