package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file that cannot be read is counted, and the others are summed.
func TestMissing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{name + "1", name, name + "2"}
	buffers := [][]byte{make([]byte, 4), make([]byte, 4), make([]byte, 4)}
	if failed, err := sumFiles(t.Context(), names, buffers); failed != 2 || err != nil {
		t.Errorf("of a file and two that do not exist: %d failed, %v; want 2, nil", failed, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sumFiles(ctx, names, buffers); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v; want %v", err, context.Canceled)
	}
}
