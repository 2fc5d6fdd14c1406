package places

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// From linux/fs.h.
const (
	fiFreeze = 0xC0045877
	fiThaw   = 0xC0045878
)

// Frozen is a file system that was frozen, as by fsfreeze(8).
type Frozen struct {
	dir  *os.File
	once sync.Once
	late *time.Timer // after a minute it thaws the file system and fails the test
}

// Freeze freezes the file system at dir until Thaw, or until the test ends. If it is not thawed
// within a minute, the test fails. If this process dies, another one thaws it.
func Freeze(t testing.TB, dir string) *Frozen {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	afterwards(t, `fsfreeze --unfreeze "$0" 2>/dev/null`, dir)
	if err := unix.IoctlSetInt(int(f.Fd()), fiFreeze, 0); err != nil {
		t.Skipf("freezing %s: %v", dir, err)
	}
	z := &Frozen{dir: f}
	z.late = time.AfterFunc(time.Minute, func() {
		t.Errorf("%s was frozen for a minute", dir)
		z.Thaw()
	})
	t.Cleanup(z.Thaw)
	return z
}

// afterwards has a process of its own run a shell command at the end of the test, or when this process dies,
// even if its whole process group is killed. It skips the test if it cannot.
func afterwards(t testing.TB, command string, args ...string) {
	t.Helper()
	guard := exec.Command("sh", append([]string{"-c", "read line; " + command}, args...)...)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := guard.StdinPipe()
	if err == nil {
		err = guard.Start()
	}
	if err != nil {
		t.Skipf("cannot start a process that cleans up: %v", err)
	}
	t.Cleanup(func() { alive.Close(); guard.Wait() })
}

// Thaw thaws the file system.
func (f *Frozen) Thaw() {
	f.once.Do(func() {
		f.late.Stop()
		unix.IoctlSetInt(int(f.dir.Fd()), fiThaw, 0)
	})
}
