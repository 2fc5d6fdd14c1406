//go:build unix

package fio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// fake puts a program of that name and text into PATH, and makes a file.
func fake(t *testing.T, script string) (file string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fio"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	file = filepath.Join(dir, "file")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const version = `[ "$1" = --version ] && { echo fio-0; exit; }
`

func start(t *testing.T, ctx context.Context, file string) *Runner {
	t.Helper()
	r := New(ctx)
	t.Cleanup(r.Stop)
	l := load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: 2}
	reply, err := r.Ask(load.Request{Setup: &load.Setup{Path: file, Side: load.Fio, Load: l}})
	if err != nil || !strings.HasPrefix(reply.Explain, "fio-0 rw=randread bs=4096 direct=1 ") {
		t.Fatalf("Ask = %+v, %v", reply, err)
	}
	return r
}

func TestSlice(t *testing.T) {
	file := fake(t, version+"cat <<'E'\n"+fioOutput+"\nE\n")
	reply, err := start(t, t.Context(), file).Ask(load.Request{Slice: &load.SliceReq{Time: time.Millisecond}})
	if err != nil || reply.Slice == nil || reply.Slice.Ops != 12500 {
		t.Errorf("Ask = %+v, %v; want what fio said", reply, err)
	}
}

func TestFailure(t *testing.T) {
	file := fake(t, version+"echo the disk has left >&2; exit 3\n")
	reply, err := start(t, t.Context(), file).Ask(load.Request{Slice: &load.SliceReq{}})
	if want := "exit status 3: the disk has left"; err != nil || reply.Unsupported != want {
		t.Errorf("Ask = %+v, %v; want %s", reply, err, want)
	}
}

// TestEndsWithItsContext has a fio whose job is a child process that takes an hour.
func TestEndsWithItsContext(t *testing.T) {
	file := fake(t, version+`sleep 3600 & echo $! >"$0.pid"; mv "$0.pid" "$0.job"; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	r := start(t, ctx, file)
	ended := make(chan error, 1)
	go func() {
		_, err := r.Ask(load.Request{Slice: &load.SliceReq{}})
		ended <- err
	}()
	pid := waitForPID(t, filepath.Join(filepath.Dir(file), "fio.job"))
	cancel()
	if err := <-ended; err == nil {
		t.Error("Ask = nil; want an error")
	}
	// The job's parent has ended. The process that inherits the job may not wait for it at once.
	for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		if zombie(pid) {
			break
		}
		if t.Context().Err() != nil {
			t.Fatalf("job %d goes on", pid)
		}
		time.Sleep(time.Millisecond)
	}
}

func waitForPID(t *testing.T, name string) int {
	t.Helper()
	for {
		text, err := os.ReadFile(name)
		if err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(time.Millisecond)
	}
}

// zombie reports whether a process has ended and has not been waited for.
func zombie(pid int) bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "Z")
}
