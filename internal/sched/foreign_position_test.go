package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
)

// TestRefusedWritesKeepThePosition has the driver refuse a ForeignFile's direct writes, until they
// are plain calls at once. Other writes still may be queued, and move the position themselves. So
// each write has the position alone.
func TestRefusedWritesKeepThePosition(t *testing.T) {
	d := script.New(8)
	d.Rule = func(*driver.Op) (int32, bool) { return eagain, true }
	s := newOn(d, queueAll)
	defer s.Close()
	var f iopath.ForeignFile
	f.Set(1<<20, true, false)
	s.paths.Call = func(_ driver.Code, _ int, b []byte, off int64) int32 {
		if off == iopath.AtPosition && f.PositionMu.TryLock() {
			f.PositionMu.Unlock()
			t.Error("a write at the position does not have it alone")
		}
		return int32(len(b))
	}
	b := make([]byte, 512)
	for range 20 {
		if n, err := s.Pwrite(&f.File, b, 0); n != len(b) || err != nil {
			t.Fatalf("Pwrite = %d, %v; want %d", n, err, len(b))
		}
	}
	if s.paths.Async(driver.Write, &f.File) {
		t.Fatal("writes are not plain calls at once")
	}
	if n, err := s.WriteCurrent(&f.File, b); n != len(b) || err != nil {
		t.Errorf("WriteCurrent = %d, %v; want %d", n, err, len(b))
	}
}
