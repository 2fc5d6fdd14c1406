package sched

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Whoever starts a Transfer does not wait for the file system, not even when all permits are taken
// and the file system hangs before it has said whether it is memory. The permits become more once
// it has said that.
func TestStartDoesNotAskFileSystem(t *testing.T) {
	hang.Watch(t)
	o, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := newOn(drv, Options{})
	f := iopath.NewFile(int(o.Fd()), false, false)
	f.CanLook.Store(false)
	s.Ready()
	d := s.paths.DeviceOf(f)
	asked, answer := make(chan bool), make(chan bool)
	go d.InMemory(func() bool { close(asked); <-answer; return false })
	<-asked
	var taken []budget.Permit
	for !d.Budget.Full(budget.Reads) {
		p, _ := d.Budget.TryAcquire(budget.Reads)
		taken = append(taken, p)
	}
	var read Transfer
	if !f.Use() {
		t.Fatal("the file is closing")
	}
	s.StartRead(&read, f, make([]byte, 10), 0, 0) // hangs if it asks
	f.Done()
	close(answer)
	if n, err := read.Wait(context.Background()); n != 0 || err != io.EOF {
		t.Errorf("Wait = %d, %v; want 0, EOF", n, err)
	}
	for _, p := range taken {
		p.Release()
	}
	f.Close(func() {})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
