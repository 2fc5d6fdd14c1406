package sluice_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
)

// threadsOver is how many threads a program has beside GOMAXPROCS, at most: those
// of the gate and the leaders, and the Go runtime's own. On a quiet machine eight
// will do (docs/results); on a loaded one the runtime makes some in place of
// others that have done their call and wait for a processor.
const threadsOver = 16

const threadsPages = 16384 // 64 MiB

// Hazard: a goroutine that waits in a system call has a thread, and a Go
// program dies at its 10,000th. Guards: the queue, and the gate for what must
// wait in a thread. Here 10,000 goroutines use a slow disk at once, in a
// process of their own, since Go's threads never end.
func TestThreadsStayFew(t *testing.T) {
	if sys.RaceEnabled {
		t.Skip("the race detector takes no more than 8,128 goroutines")
	}
	scheduler(t, sluice.Options{Driver: "uring"}).Close()
	name := filepath.Join(slowDisk(t), "file")
	write(t, name, strings.Repeat("x", threadsPages*pageSize))
	for _, work := range []string{"cold reads", "direct reads", "buffered writes", "all of them", "syncs"} {
		t.Run(work, func(t *testing.T) {
			n, out, ok := watched(t, "threads", "SLUICE_DRIVER=uring", "SLUICE_TEST_FILE="+name, "SLUICE_TEST_WORK="+work)
			if limit := runtime.GOMAXPROCS(0) + threadsOver; !ok || n > limit {
				t.Errorf("%d threads; want at most GOMAXPROCS + %d = %d\n%s", n, threadsOver, limit, out)
			} else {
				t.Logf("%d threads of at most %d %s", n, limit, out)
			}
		})
	}
}

func init() { children["threads"] = threadsChild }

func threadsChild() error {
	const goroutines = 10000
	work := os.Getenv("SLUICE_TEST_WORK")
	if work == "syncs" {
		return syncMany(filepath.Dir(os.Getenv("SLUICE_TEST_FILE")))
	}
	f, d, err := threadsFiles(os.Getenv("SLUICE_TEST_FILE"))
	if errors.Is(err, syscall.EINVAL) {
		fmt.Println("skipped: no O_DIRECT here")
		return nil
	}
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	for g := range goroutines {
		all.Go(func() {
			b := alignedBytes(pageSize)
			off := int64(g*7919%threadsPages) * pageSize // each its own, far apart
			kind := work
			if work == "all of them" {
				kind = []string{"cold reads", "direct reads", "buffered writes"}[g%3]
			}
			var err error
			switch kind {
			case "cold reads":
				_, err = f.ReadAt(b[:512], off)
			case "direct reads":
				_, err = d.ReadAt(b, off)
			case "buffered writes":
				_, err = f.WriteAt(b, off)
			}
			if err != nil {
				failed.Store(&err)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// syncMany has goroutines write and sync each a file of its own.
func syncMany(dir string) error {
	const files, times = 300, 3
	failed := make(chan error, files)
	for g := range files {
		f, err := sluice.Create(filepath.Join(dir, fmt.Sprint("synced", g)))
		if err != nil {
			return err
		}
		go func() {
			var err error
			for i := 0; i < times && err == nil; i++ {
				if _, err = f.WriteAt(make([]byte, pageSize), 0); err == nil {
					err = f.Sync()
				}
			}
			failed <- err
		}()
	}
	var errs []error
	for range files {
		errs = append(errs, <-failed)
	}
	return errors.Join(errs...)
}

// threadsFiles opens a file, which is out of the page cache then, buffered and
// direct.
func threadsFiles(name string) (f, d *sluice.File, err error) {
	if f, err = sluice.OpenFile(name, os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, nil, err
	}
	if err := dropCache(int(f.Fd())); err != nil {
		return nil, nil, err
	}
	d, err = sluice.OpenFile(name, os.O_RDWR|oDirect, 0)
	return f, d, err
}

// watched runs a child and reports the most threads that it has at once, the
// kernel's for io_uring among them. It is watched from outside, because who
// looks at /proc is in a system call too.
func watched(t *testing.T, name string, env ...string) (most int, out string, ok bool) {
	t.Helper()
	var b bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(append(os.Environ(), childEnv+"="+name), env...)
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		most = max(most, threads(cmd.Process.Pid))
		select {
		case err := <-ended:
			return most, strings.TrimSpace(b.String()), err == nil
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// threads is how many threads a process has.
func threads(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "\nThreads:")
	line, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	return n
}
