package schedulers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/internal/tune"
)

func init() { testenv.Children["secure"] = secureChild }

// secureChild reads a file, and prints which of the files in its environment it uses.
func secureChild() error {
	f, err := sluice.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	if _, err := f.ReadAt(make([]byte, 64), 0); err != nil {
		return err
	}
	_, _, err = tune.Load(tune.Device{Name: "any", Bytes: 1})
	_, saved := tune.Save(tune.Device{Name: "any", Bytes: 1}, tune.Measured{Depth: 8, Bytes: 1 << 20, Beside: 1 << 20})
	fmt.Printf("tuned %t, saved %t\n", !errors.Is(err, fs.ErrNotExist), saved == nil)
	return f.Close()
}

// TestSecureEnvironment starts a program as a user without rights, with an environment that names
// files. A program that is set-user-ID or set-group-ID, or has capabilities, must not touch them.
func TestSecureEnvironment(t *testing.T) {
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "only root can make programs set-user-ID root")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		prepare func(exe string) error
		secure  bool
	}{
		{"plain", func(string) error { return nil }, false},
		{"set-user-ID", func(exe string) error { return os.Chmod(exe, 0o755|fs.ModeSetuid) }, true},
		{"set-group-ID", func(exe string) error { return os.Chmod(exe, 0o755|fs.ModeSetgid) }, true},
		{"capability", func(exe string) error { return unix.Setxattr(exe, "security.capability", netBindService, 0) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			// The user nobody must reach the program, and may write beside it.
			for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
				if err := os.Chmod(d, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			exe := filepath.Join(dir, "program")
			if err := os.WriteFile(exe, text, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := test.prepare(exe); err != nil {
				skip.For(t, skip.Limits, err)
			}
			if gains, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); test.secure && (gains != 0 || err != nil) {
				skip.For(t, skip.Limits, "no program gains rights in this process (PR_SET_NO_NEW_PRIVS)")
			}
			runAsNobody(t, dir, exe, test.secure)
		})
	}
}

// netBindService is an extended attribute with CAP_NET_BIND_SERVICE: struct vfs_cap_data, version
// 2, effective.
var netBindService = []byte{1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

func runAsNobody(t *testing.T, dir, exe string, secure bool) {
	t.Helper()
	trace, tuned := filepath.Join(dir, "trace"), filepath.Join(dir, "tuned")
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^$")
	cmd.Dir = dir
	cmd.Env = []string{testenv.ChildEnv + "=secure", "SLUICE_TRACE=" + trace, tune.Variable + "=" + tuned, "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A named file that is missing is another error than ErrNotExist.
	want := "tuned true, saved true"
	if secure {
		want = "tuned false, saved false"
	}
	if got := strings.TrimSpace(string(out)); got != want {
		if secure && mountedNosuid(t, dir) {
			skip.For(t, skip.Limits, "the file system is mounted nosuid")
		}
		t.Errorf("the program prints %q; want %q", got, want)
	}
	for _, name := range []string{trace, tuned} {
		if _, err := os.Lstat(name); (err == nil) == secure {
			t.Errorf("%s: %v; want it created: %t", filepath.Base(name), err, !secure)
		}
	}
}

func mountedNosuid(t *testing.T, dir string) bool {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	return st.Flags&unix.ST_NOSUID != 0
}
