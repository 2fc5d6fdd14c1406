package handle

import (
	"os"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestStream checks that a regular file without offsets has no disk I/O: io_uring reads it
// whatever the offset is, and pread(2) fails.
func TestStream(t *testing.T) {
	f, err := os.OpenFile("/sys/kernel/tracing/trace_marker", os.O_RDWR, 0)
	if err != nil {
		skip.For(t, skip.Config, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		t.Fatalf("Stat = %v, %v; want a regular file", info, err)
	}
	if core, err := NewIO(f); core != nil || err != nil {
		t.Errorf("NewIO = %v, %v; want nil", core, err)
	}
}
