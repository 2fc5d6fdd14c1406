package direct_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/sluicetest"
)

// TestWriterLeavesNoGap makes each write of a Writer that extends its file fail once. The file
// never has bytes behind the missing ones.
func TestWriterLeavesNoGap(t *testing.T) {
	for name, c := range map[string]gapCase{
		"new file":           {open: direct.OpenOn, with: syscall.ENOSPC},
		"truncated":          {open: direct.OpenOn, with: syscall.ENOSPC, truncated: true},
		"in parts":           {open: direct.OpenOn, with: syscall.ENOSPC, short: 0.5},
		"page cache":         {open: direct.OpenBuffered, with: syscall.ENOSPC},
		"refused":            {open: direct.OpenOn, with: directRefuses},
		"truncated, refused": {open: direct.OpenOn, with: directRefuses, truncated: true},
		"in parts, refused":  {open: direct.OpenOn, with: directRefuses, short: 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			for c.failing = 1; c.failing < 20 && !t.Failed(); c.failing++ {
				for _, c.idle = range []bool{false, true} {
					synctest.Test(t, c.run)
				}
			}
		})
	}
}

// directRefuses is an error after which a write is made through the page cache.
const directRefuses = syscall.EINVAL

type gapCase struct {
	open      func(s *sluice.Scheduler, name string, flag int, perm fs.FileMode) (*direct.File, error)
	with      syscall.Errno
	truncated bool // the file is truncated after NewWriter
	short     float64
	failing   int  // the number of the write that fails
	idle      bool // all writes have ended before Close
}

func (c gapCase) run(t *testing.T) {
	d := sluicetest.NewDisk(sluicetest.Options{Short: c.short, Latency: time.Millisecond})
	defer d.Close()
	f, err := c.open(d.Scheduler(), "file", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := testenv.Noise(5*bufferSize + 100)
	if c.truncated {
		if _, err := f.WriteAt(make([]byte, len(b)), 0); err != nil {
			t.Fatal(err)
		}
	}
	w, err := f.NewWriter(t.Context(), direct.WriterOptions{BufferSize: bufferSize, WriteBehind: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	d.FailWrite(c.failing, c.with)
	_, err = w.Write(b)
	if c.idle {
		time.Sleep(time.Second)
		if got, err := d.ReadFile("file"); err != nil || !bytes.HasPrefix(b, got) {
			t.Errorf("write %d failed, and before Close the file has %d bytes, %v; want the first bytes of Write", c.failing, len(got), err)
		}
	}
	if err1 := w.Close(); err == nil {
		err = err1
	}
	if c.with == directRefuses && c.failing == 1 && err != nil {
		t.Errorf("Close = %v; want nil, as the first write is made through the page cache", err)
	}
	wantPrefix(t, b, err, c.with)(d.ReadFile("file"))
}

// bufferSize is large enough that each buffer is one write, and is not merged with its neighbours.
const bufferSize = 128 << 10 // 128 KiB

// wantPrefix returns a function that checks a file after a Writer of b: it has all of b, or the
// front of it if err is with.
func wantPrefix(t *testing.T, b []byte, err error, with syscall.Errno) func(got []byte, err error) {
	return func(got []byte, errRead error) {
		t.Helper()
		complete := len(got) == len(b)
		if errRead != nil || !bytes.HasPrefix(b, got) || complete != (err == nil) || !complete && !errors.Is(err, with) {
			t.Errorf("after Close = %v the file has %d bytes, %v; want %d, or the first of them and %v", err, len(got), errRead, len(b), with)
		}
	}
}
