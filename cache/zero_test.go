package cache

import (
	"errors"
	"os"
	"testing"

	"github.com/sluiceio/sluice/direct"
)

// panicOf returns what do panics with, or nil.
func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

// TestNilFile checks that File panics at once with a nil file, such as the result of a failed open.
func TestNilFile(t *testing.T) {
	c, err := New(Options{Bytes: minBlock})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const want = "cache: Cache.File of a nil file"
	for _, d := range []Direct{nil, (*direct.File)(nil)} {
		if got := panicOf(func() { c.File(d) }); got != want {
			t.Errorf("File(%T) panics with %v; want %q", d, got, want)
		}
	}
}

// TestZero uses the zero Cache and the zero File.
func TestZero(t *testing.T) {
	c, d := new(Cache), new(disk)
	const want = "cache: use of the zero Cache; New makes Caches"
	for name, do := range map[string]func(){"File": func() { c.File(d) }, "Stats": func() { c.Stats() }} {
		if got := panicOf(do); got != want {
			t.Errorf("%s of the zero Cache panics with %v; want %q", name, got, want)
		}
	}
	f := new(File)
	f.Invalidate(0, 1)
	for name, do := range map[string]func() error{
		"ReadAt":   func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
		"WriteAt":  func() error { _, err := f.WriteAt(make([]byte, 1), 0); return err },
		"View":     func() error { _, err := f.View(t.Context(), 0, 1); return err },
		"Size":     func() error { _, err := f.Size(); return err },
		"Truncate": func() error { return f.Truncate(0) },
		"Sync":     f.Sync,
		"Close":    f.Close,
	} {
		if err := do(); !errors.Is(err, os.ErrInvalid) {
			t.Errorf("%s of the zero File = %v; want os.ErrInvalid", name, err)
		}
	}
}
