//go:build unix

package program

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/skip"
)

func shell(t *testing.T, ctx context.Context, script string) (Usage, error) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		skip.For(t, skip.Shell, err)
	}
	return Run(ctx, sh, []string{"sh", "-c", script})
}

func TestRun(t *testing.T) {
	u, err := shell(t, t.Context(), "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.05")
	if err != nil {
		t.Fatal(err)
	}
	if u.Elapsed < 50*time.Millisecond || u.CPU <= 0 || u.CPU > u.Elapsed*time.Duration(runtime.NumCPU()+1) {
		t.Errorf("usage is %+v; want 50 ms and more, and some processor time", u)
	}
	if runtime.GOOS == "linux" && u.Threads != 1 {
		t.Errorf("a shell has %d threads; want 1", u.Threads)
	}
}

// TestMemory runs a process with far less memory than this one. ru_maxrss does not show it.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		skip.For(t, skip.Platform, "memory is seen on Linux")
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		skip.For(t, skip.Special, err)
	}
	ballast := make([]byte, 128<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	var ending sync.WaitGroup
	ending.Go(func() {
		for !waitedFor() {
			time.Sleep(time.Millisecond)
		}
		if err := os.WriteFile(fifo, []byte("\n"), 0); err != nil {
			t.Error(err)
		}
	})
	u, err := shell(t, t.Context(), "read line <'"+fifo+"'")
	ending.Wait()
	if err != nil || u.RSS <= 0 || u.RSS > 64<<20 {
		t.Errorf("a shell has %d bytes resident, %v; want some, and not ours", u.RSS, err)
	}
	runtime.KeepAlive(ballast)
}

// waitedFor reports whether a goroutine waits for a process to end.
func waitedFor() bool {
	stacks := make([]byte, 1<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("exec.(*Cmd).Wait("))
}

func TestFailure(t *testing.T) {
	_, err := shell(t, t.Context(), "echo the disk has left >&2; echo more >&2; exit 3")
	if err == nil || err.Error() != "exit status 3: the disk has left" {
		t.Errorf("Run = %v; want the status and the first line", err)
	}
	if _, err := shell(t, t.Context(), "head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1"); err == nil || len(err.Error()) > headSize+100 {
		t.Errorf("Run = %.100v; want a short error", err)
	}
}

// TestEnd ends a process whose child would otherwise continue.
func TestEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(50*time.Millisecond, func() { cancel(enough) })
	u, err := shell(t, ctx, "sleep 3600 & wait")
	if !errors.Is(err, enough) {
		t.Errorf("Run = %v; want the cause of the end", err)
	}
	if u.Elapsed > time.Hour/2 || strings.Contains(err.Error(), "3600") {
		t.Errorf("it took %s", u.Elapsed)
	}
}

// TestCommandGroup checks that a started process leads its own process group.
func TestCommandGroup(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		skip.For(t, skip.Shell, err)
	}
	cmd := Command(t.Context(), cat)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(cmd.Process.Pid); err != nil || group != cmd.Process.Pid {
		t.Errorf("process %d is in group %d, %v; want its own", cmd.Process.Pid, group, err)
	}
	if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}
