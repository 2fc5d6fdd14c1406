package iopath

import (
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Paths that have seen 10,000 devices keep what only those have that have an open file.
func TestDevicesAreForgotten(t *testing.T) {
	hang.Watch(t)
	var p Paths
	p.Init(func() driver.Driver { return script.New(8) }, Options{
		Device: func(fd int) (uint64, bool) { return uint64(fd), true },
	})
	p.Devices.Init(0, false) // as with the system's devices
	p.Engines.SetMost(3, func(*record.Hook) (driver.Driver, error) { return script.New(8), nil })
	kept := NewFile(1, false, false)
	queue := p.QueueOf(kept)
	p.RingsOf(kept)
	for fd := 2; fd <= 10_000; fd++ {
		f := NewFile(fd, false, false)
		p.QueueOf(f)
		p.RingsOf(f)
	}
	if n := len(p.Engines.All()); n != 3 {
		t.Errorf("%d rings; want 3", n)
	}
	hang.Eventually(func() bool {
		runtime.GC()
		return len(p.Devices.All()) == 2 && p.Engines.OneDevice() // kept's, and None
	})
	if p.QueueOf(kept) != queue {
		t.Error("the device of an open file has another queue")
	}
	runtime.KeepAlive(kept)
}

// With one ring for all devices each device has a Group, so that it is known whether there is one.
func TestOneDevice(t *testing.T) {
	var p Paths
	p.Init(func() driver.Driver { return script.New(8) }, Options{
		Device: func(fd int) (uint64, bool) { return uint64(fd), true },
	})
	for fd, want := range []bool{true, false} {
		f := NewFile(fd+1, false, false)
		for range 2 {
			p.RingsOf(f)
		}
		if one := p.Engines.OneDevice(); one != want {
			t.Errorf("OneDevice with %d = %t; want %t", fd+1, one, want)
		}
	}
	if n, most := len(p.Engines.All()), p.Engines.PerDevice(); n != 1 || most != 1 {
		t.Errorf("%d rings, at most %d for a device; want 1, 1", n, most)
	}
}
