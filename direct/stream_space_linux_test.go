package direct_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestWriterNoSpace writes until the disk is full. Write and Close return the error; flushed bytes
// are there.
func TestWriterNoSpace(t *testing.T) {
	for name, make := range places.FileSystems {
		t.Run(name, func(t *testing.T) {
			if name == "overlay" {
				skip.For(t, skip.Case, "it is not our disk to fill")
			}
			// 24 MiB, or the file system's least
			testenv.EachDriverIn(t, make(t, 24<<20), writerNoSpace)
		})
	}
}

func writerNoSpace(t *testing.T, s *sluice.Scheduler, dir string) {
	places.Fill(t, filepath.Join(dir, "filler"), 8<<20) // all but 8 MiB
	f, err := direct.OpenOn(s, filepath.Join(dir, "full"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	w := writer(t, f, direct.WriterOptions{BufferSize: 64 << 10})
	b, flushed := testenv.Noise(100_003), 0
	for i := 0; err == nil && i < 10_000; i++ {
		if _, err = w.Write(b); err == nil && i%10 == 0 {
			if err = w.Flush(); err == nil {
				flushed = (i + 1) * len(b)
			}
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Write = %v; want ENOSPC", err)
	}
	if err1 := w.Close(); err1 != err {
		t.Errorf("Close = %v; want %v", err1, err)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil || len(got) < flushed || flushed == 0 {
		t.Fatalf("the file has %d bytes, %v; want %d at least", len(got), err, flushed)
	}
	for i := 0; i < flushed; i += len(b) {
		if !bytes.Equal(got[i:i+len(b)], b) {
			t.Errorf("other bytes at %d, of %d flushed", i, flushed)
		}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name()), os.Remove(filepath.Join(dir, "filler"))); err != nil {
		t.Error(err)
	}
	places.SyncFS(t, dir)
}

// TestWriterNearlyNoSpace: ext4 fails a direct write that does not fit as a whole, and frees its
// room, so a smaller write after it would fit. The Writer must not make the smaller one: the file
// would have zeros before it.
func TestWriterNearlyNoSpace(t *testing.T) {
	dir := places.FileSystems["ext4"](t, 24<<20)
	f := create(t, testenv.Scheduler(t, sluice.Options{}), dir)
	places.Fill(t, filepath.Join(dir, "filler"), 6<<20)
	for n := 4 << 20; n <= 10<<20; n += 512 << 10 { // the exact room is not known
		w, err := f.NewWriter(t.Context(), direct.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b := testenv.Noise(n + 100)
		_, err = w.Write(b)
		if err1 := w.Close(); err == nil {
			err = err1
		}
		wantPrefix(t, b, err, syscall.ENOSPC)(os.ReadFile(f.Name()))
		if err := f.Truncate(0); err != nil {
			t.Fatal(err)
		}
		places.SyncFS(t, dir)
	}
}
