package places

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// From linux/fs.h.
const (
	fiFreeze = 0xC0045877
	fiThaw   = 0xC0045878
)

// Frozen is a frozen file system, as after fsfreeze(8).
type Frozen struct {
	dir  *os.File
	once sync.Once
	late *time.Timer // after a minute it thaws the file system and fails the test
}

// Freeze freezes the file system at dir until Thaw, or until the test ends. After a minute the test
// fails. If this process dies, another process thaws the file system.
func Freeze(t testing.TB, dir string) *Frozen {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	afterwards(t, `fsfreeze --unfreeze "$0" 2>/dev/null`, dir)
	if err := unix.IoctlSetInt(int(f.Fd()), fiFreeze, 0); err != nil {
		skip.Forf(t, skip.Kernel, "freezing %s: %v", dir, err)
	}
	z := &Frozen{dir: f}
	z.late = time.AfterFunc(time.Minute, func() {
		t.Errorf("%s was frozen for a minute", dir)
		z.Thaw()
	})
	t.Cleanup(z.Thaw)
	return z
}

// afterwards makes another process run a shell command at the end of the test, or when this process
// dies, even if its whole process group is killed. If that is impossible, it skips the test.
func afterwards(t testing.TB, command string, args ...string) {
	t.Helper()
	script := "trap '" + command + "' EXIT; trap exit TERM; echo ready; read line"
	guard := exec.Command("sh", append([]string{"-c", script}, args...)...)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	alive, err := guard.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ready, err := guard.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The end of a pipe tells the guard that the test has ended. If this process is killed, the
	// pipe stays open while a thread waits for a frozen file system. So the guard also gets a
	// signal when the thread ends that started it (PR_SET_PDEATHSIG in prctl(2)), which this
	// goroutine keeps.
	started, over := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		started <- guard.Start()
		<-over
	}()
	t.Cleanup(func() { close(over) })
	if err := <-started; err != nil {
		skip.Forf(t, skip.Shell, "cannot start a process that cleans up: %v", err)
	}
	t.Cleanup(func() { alive.Close(); guard.Wait() })
	if _, err := io.ReadFull(ready, make([]byte, len("ready\n"))); err != nil {
		t.Fatalf("the process that cleans up: %v", err)
	}
}

// Thaw thaws the file system.
func (f *Frozen) Thaw() {
	f.once.Do(func() {
		f.late.Stop()
		unix.IoctlSetInt(int(f.dir.Fd()), fiThaw, 0)
	})
}
