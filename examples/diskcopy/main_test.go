package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A copy that is interrupted leaves no file.
func TestInterrupted(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to := from + "2"
	if _, err := copyFile(ctx, to, from, 64<<10, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("copyFile = %v; want %v", err, context.Canceled)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has left a file: %v", err)
	}
}
