package database

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/scratch"
)

// TestOpenFails checks the errors of an unsuitable file system and an unsuitable machine. Nothing
// may be left in the directory.
func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	spec := Spec{Dir: dir, Load: load.Load{Kind: load.PebbleLoad}, Memory: 128 << 20}
	// Twice the last two overflow.
	for _, size := range []int64{math.MaxInt64 / 4, math.MaxInt64/2 + 1<<20, math.MaxInt64} {
		spec.Load.Records = Records(size)
		if _, err := Open(t.Context(), spec, func(string, float64) {}); !errors.Is(err, scratch.ErrSpace) {
			t.Errorf("Open of a database of %d bytes = %v; want %v", size, err, scratch.ErrSpace)
		}
	}
	if os.Geteuid() != 0 {
		spec.Load.Records = 1
		if _, err := Open(t.Context(), spec, func(string, float64) {}); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "root") {
			t.Errorf("Open without root = %v; want %v", err, ErrMissing)
		}
	}
	t.Setenv("PATH", t.TempDir()) // without the go command
	spec.Load.Records = 1
	if _, err := Open(t.Context(), spec, func(string, float64) {}); err == nil {
		t.Error("Open without a go command = nil; want an error")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

func TestRecords(t *testing.T) {
	if got := Records(10 * recordSize); got != 10 {
		t.Errorf("Records = %d; want 10", got)
	}
}
