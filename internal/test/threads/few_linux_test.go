package threads

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// The goroutines of a child.
const (
	threadsGoroutines = 10_000
	threadsSyncs      = 500 // each has a file
)

const threadsPages = 16384 // 64 MiB

// Hazard: a goroutine that waits in a system call has a thread, and a Go program dies at its
// 10,000th. Guards: the queue, and a device's budget for calls that must wait in a thread. In the
// test 10,000 goroutines use a slow disk at once, in a new process because Go's threads never end.
// They may have a thread for ten goroutines. On a quiet machine GOMAXPROCS + 8 suffice
// (docs/results). On a busy machine the Go runtime makes more, for threads that have made their
// call and wait for a processor. TestThreadsInTheKernel counts the threads that may wait for a
// device.
func TestThreadsStayFew(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector takes no more than 8,128 goroutines")
	}
	testenv.Scheduler(t, sluice.Options{Driver: "uring"}).Close()
	name := filepath.Join(testenv.SlowDisk(t), "file")
	testenv.Write(t, name, strings.Repeat("x", threadsPages*testenv.PageSize))
	for _, work := range []string{"cold reads", "direct reads", "buffered writes", "direct writes", "all of them", "syncs"} {
		t.Run(work, func(t *testing.T) {
			n, out, ok := watched(t, "threads", "SLUICE_DRIVER=uring", "SLUICE_TEST_FILE="+name, "SLUICE_TEST_WORK="+work)
			if text, ok := strings.CutPrefix(out, "skip: "); ok {
				skip.Named(t, text)
			}
			goroutines := threadsGoroutines
			if work == "syncs" {
				goroutines = threadsSyncs
			}
			if limit := goroutines / 10; !ok || n > limit {
				t.Errorf("%d threads for %d goroutines; want at most %d\n%s", n, goroutines, limit, out)
			} else {
				t.Logf("%d threads for %d goroutines %s", n, goroutines, out)
			}
		})
	}
}

func init() { testenv.Children["threads"] = threadsChild }

func threadsChild() error {
	work := os.Getenv("SLUICE_TEST_WORK")
	if work == "syncs" {
		return syncMany(filepath.Dir(os.Getenv("SLUICE_TEST_FILE")))
	}
	ends, err := endsOf(threadsGoroutines)
	if err != nil {
		return err
	}
	f, d, err := threadsFiles(os.Getenv("SLUICE_TEST_FILE"))
	if errors.Is(err, syscall.EINVAL) {
		fmt.Println("skip: direct: no O_DIRECT here")
		return nil
	}
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	for g := range threadsGoroutines {
		all.Go(func() {
			b := testenv.AlignedBytes(testenv.PageSize)
			// A different place for each, far apart.
			off := int64(g*7919%threadsPages) * testenv.PageSize
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
			case "direct writes": // each has to wait, because the page cache has its block
				if _, err = f.ReadAt(b, off); err == nil {
					_, err = d.WriteAt(b, off)
				}
			}
			if err != nil {
				failed.Store(&err)
			}
			ends.add()
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ends.looked()
}

// goroutineEnds reports a child's progress to watched: one byte for each hundredth of its
// goroutines that has ended.
type goroutineEnds struct {
	each  int64 // goroutines in a hundredth
	count atomic.Int64
	told  *os.File // the pipe to watched
	goOn  *os.File // ends when watched has looked for the last time
}

// endsOf returns the goroutineEnds of a child with so many goroutines.
func endsOf(goroutines int) (*goroutineEnds, error) {
	e := &goroutineEnds{each: int64(goroutines / 100)}
	for _, fd := range []int{3, 4} { // waiting for them then needs no thread
		if err := syscall.SetNonblock(fd, true); err != nil {
			return nil, err
		}
	}
	e.told, e.goOn = os.NewFile(3, "told"), os.NewFile(4, "goOn")
	return e, nil
}

// add counts a goroutine that has ended.
func (e *goroutineEnds) add() {
	if e.count.Add(1)%e.each == 0 {
		e.told.Write([]byte{'.'}) // if it fails, watched sees too few
	}
}

// looked returns when watched has looked for the last time.
func (e *goroutineEnds) looked() error {
	if err := e.told.Close(); err != nil {
		return err
	}
	_, err := io.ReadAll(e.goOn)
	return err
}

// syncMany has goroutines write and sync, each with its own file.
func syncMany(dir string) error {
	const times = 2
	ends, err := endsOf(threadsSyncs)
	if err != nil {
		return err
	}
	failed := make(chan error, threadsSyncs)
	for g := range threadsSyncs {
		f, err := sluice.Create(filepath.Join(dir, fmt.Sprint("synced", g)))
		if err != nil {
			return err
		}
		go func() {
			var err error
			for i := 0; i < times && err == nil; i++ {
				if _, err = f.WriteAt(make([]byte, testenv.PageSize), 0); err == nil {
					err = f.Sync()
				}
			}
			ends.add()
			failed <- err
		}()
	}
	var errs []error
	for range threadsSyncs {
		errs = append(errs, <-failed)
	}
	return errors.Join(append(errs, ends.looked())...)
}

// threadsFiles opens a file, buffered and direct, and drops it from the page cache.
func threadsFiles(name string) (f, d *sluice.File, err error) {
	if f, err = sluice.OpenFile(name, os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, nil, err
	}
	if err := testenv.DropCache(int(f.Fd())); err != nil {
		return nil, nil, err
	}
	d, err = sluice.OpenFile(name, os.O_RDWR|sys.O_DIRECT, 0)
	return f, d, err
}

// watched runs a child. It returns the most threads that the child has had, including the kernel's
// for io_uring. It counts them each time a hundredth of the child's goroutines has ended, and at
// the end: Go's threads stay. The parent counts them, because reading /proc is a system call, too.
func watched(t *testing.T, name string, env ...string) (most int, out string, ok bool) {
	t.Helper()
	var b bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(append(os.Environ(), testenv.ChildEnv+"="+name), env...)
	cmd.Stdout, cmd.Stderr = &b, &b
	told, goOn := childPipes(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	looks := 0
	for end := make([]byte, 1); ; looks++ {
		_, err := told.Read(end)
		most = max(most, threads(cmd.Process.Pid))
		if err != nil {
			break
		}
	}
	goOn.Close()
	err := cmd.Wait()
	if err == nil && looks != 100 && !strings.HasPrefix(b.String(), "skip: ") {
		t.Errorf("%d looks at %s; want 100", looks, name)
	}
	return most, strings.TrimSpace(b.String()), err == nil
}

// childPipes gives cmd the files of endsOf, and returns the other ends.
func childPipes(t *testing.T, cmd *exec.Cmd) (told, goOn *os.File) {
	t.Helper()
	told, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	wait, goOn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{theirs, wait}
	t.Cleanup(func() { told.Close(); goOn.Close() })
	return told, goOn
}

// threads returns a process's number of threads.
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
