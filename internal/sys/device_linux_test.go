package sys

import (
	"os"
	"syscall"
	"testing"
)

// TestDevice checks the number of a file's device, which budgets and the caps of classes need on
// each architecture.
func TestDevice(t *testing.T) {
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	want := uint64(info.Sys().(*syscall.Stat_t).Dev) //nolint:unconvert // 32 bits on mips
	if got, ok := Device(int(f.Fd())); got != want || !ok {
		t.Errorf("Device = %#x, %t; want %#x", got, ok, want)
	}
}
