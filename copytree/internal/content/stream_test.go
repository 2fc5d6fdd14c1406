//go:build unix

package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// channel returns the ends of a pipe. Like a FIFO that package at has opened, they do not block.
func channel(t *testing.T) (out, in *os.File) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(out.Close(), in.Close()) })
	return out, in
}

// stream returns an end of a pipe for a Copier.
func stream(t *testing.T, f *os.File) File {
	t.Helper()
	file := of(t, f) // Fd makes it block
	if err := unix.SetNonblock(file.FD, true); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestStreams copies from and to pipes that hold less than the file.
func TestStreams(t *testing.T) {
	want := bytes.Join([][]byte{noise(1, 300<<10), make([]byte, 300<<10), noise(2, 70<<10+7)}, nil)
	s := testenv.Core(t)
	for _, cfg := range []Config{{}, {Scheduler: s}, {Sparse: option.SparseAlways}, {BlockSize: 4096, Memory: 1}} {
		var reported int64
		cfg.Wrote = func(n int64) { reported += n }
		name := filepath.Join(t.TempDir(), "file")
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		c := New(cfg)
		out, in := channel(t)
		go func() {
			if n, err := in.Write(want); n != len(want) || err != nil {
				t.Errorf("Write to the pipe = %d, %v; want %d, nil", n, err, len(want))
			}
			_ = in.Close()
		}()
		r, err := c.Copy(t.Context(), of(t, file), stream(t, out))
		if got, _ := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: from a pipe came %d bytes, %v; want %d", cfg, len(got), err, len(want))
		}
		if sparse := cfg.Sparse == option.SparseAlways; r.Bytes+r.Holes != int64(len(want)) || sparse != (r.Holes > 0) || reported != r.Bytes {
			t.Errorf("%+v: %+v, and %d bytes were reported", cfg, r, reported)
		}
		testToPipe(t, c, name, want)
		c.Close()
		_ = file.Close()
	}
}

func testToPipe(t *testing.T, c *Copier, name string, want []byte) {
	t.Helper()
	out, in := channel(t)
	dst := stream(t, in)
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(out)
		read <- b
	}()
	r, err := c.Copy(t.Context(), dst, of(t, file))
	_ = in.Close()
	if got := <-read; err != nil || !bytes.Equal(got, want) || r.Bytes != int64(len(want)) {
		t.Errorf("%d bytes came to a pipe, %+v, %v; want %d", len(got), r, err, len(want))
	}
}

// TestStreamsEnd checks that the end of the context ends the wait for a pipe.
func TestStreamsEnd(t *testing.T) {
	c := New(Config{})
	defer c.Close()
	idle, other := channel(t)
	_, full := channel(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(8 << 20); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][2]File{
		"read":  {of(t, file), stream(t, idle)},
		"write": {stream(t, full), of(t, file)},
		"both":  {stream(t, other), stream(t, idle)},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := c.Copy(ctx, files[0], files[1])
			done <- err
		}()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v; want that it was ended", name, err)
		}
	}
}

// TestStreamGone writes to a pipe without a reader.
func TestStreamGone(t *testing.T) {
	c := New(Config{})
	defer c.Close()
	out, in := channel(t)
	name := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(name, []byte("text"), 0o600), out.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = c.Copy(t.Context(), stream(t, in), of(t, file))
	if bad, ok := errors.AsType[*fault.Fault](err); !ok || !bad.Dest || bad.Op != "write" || bad.Err != unix.EPIPE {
		t.Errorf("Copy = %v; want EPIPE of the destination", err)
	}
}
