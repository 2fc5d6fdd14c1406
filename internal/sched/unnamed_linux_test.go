package sched

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// The record of a Transfer names the Transfer's own file, also if the file has no name, and its
// descriptor is another file's when the owner notices the end.
func TestUnnamedAfterClose(t *testing.T) {
	hang.Watch(t)
	dir := t.TempDir()
	fd, err := unix.Open(filepath.Join(dir, "own"), unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.Create(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	drv := script.New(8)
	drv.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
	s := newOn(drv, queueAll)
	f := iopath.NewFile(fd, true, false)
	if !record.Built {
		skip.For(t, skip.Build, "built without the recorder")
	}
	r := record.New(record.Options{Names: 1 << 10})
	r.Start()
	s.paths.Recording.Set(r)
	var tr Transfer
	s.StartRead(&tr, f, make([]byte, 10), 0, 0)
	s.CloseFile(f)
	if err := unix.Dup3(int(other.Fd()), fd, unix.O_CLOEXEC); err != nil { // closes it, too
		t.Fatal(err)
	}
	if n, err := tr.Wait(t.Context()); n != 10 || err != nil {
		t.Errorf("Wait = %d, %v; want 10", n, err)
	}
	s.paths.Recording.Set(nil)
	files := r.Collect(record.Sink{Op: func(record.Op, uint32) {}, Call: func(record.Call, uint32) {}}).Files
	name := files[len(files)-1]
	unix.Close(fd)
	s.Close()
	if filepath.Base(name) != "own" {
		t.Errorf("the record names %q; want the file's own descriptor", name)
	}
}
