package doctor

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

func TestExamine(t *testing.T) {
	dir := t.TempDir()
	r, err := Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, c := range r.Checks {
		if c.Name == "" || c.Found == "" || len(c.Name) > nameWidth || seen[c.Name] {
			t.Errorf("check %+v is twice there, or incomplete, or has too long a name", c)
		}
		if c.Status == Warn && c.Advice == "" {
			t.Errorf("%s warns without advice", c.Name)
		}
		seen[c.Name] = true
	}
	for _, name := range []string{"kernel", "seccomp", "io_uring", "Linux AIO", "file system", "O_DIRECT", "locked memory", "threads"} {
		if !seen[name] {
			t.Errorf("no check of %s", name)
		}
	}
	for line := range strings.Lines(r.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !strings.Contains(line, dir) {
			t.Errorf("line of %d columns: %q", n, line)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files left in the directory, %v", len(left), err)
	}
}

func TestExamineNeedsADirectory(t *testing.T) {
	for _, dir := range []string{"/nowhere/at/all", "/proc/self/status"} {
		if _, err := Examine(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("Examine(%s) = %v; want an error with the name", dir, err)
		}
	}
}

// TestOnlyPool checks that the doctor of a 32-bit program neither praises nor misses what that
// program could not use.
func TestOnlyPool(t *testing.T) {
	for arch, want := range map[string]string{"amd64": "as found", "386": "not used on 386"} {
		all := []Check{{Name: "kernel", Found: "as found"}}
		for _, name := range []string{"io_uring", "Linux AIO", "cached reads"} {
			all = append(all, Check{Name: name, Status: OK, Found: "as found"})
		}
		onlyPool(all, arch)
		for _, c := range all[1:] {
			if !strings.Contains(c.Found, want) {
				t.Errorf("%s: %s is %q; want %q", arch, c.Name, c.Found, want)
			}
		}
		if all[0].Found != "as found" {
			t.Errorf("%s: the kernel is %q", arch, all[0].Found)
		}
	}
}

// TestUringRefused covers the ways in which machines refuse io_uring.
func TestUringRefused(t *testing.T) {
	for _, test := range []struct {
		name          string
		err           error
		sysctl        uringSysctl
		filter        seccomp
		found, advice string
	}{
		{"sysctl", unix.EPERM, uringSysctl{"2", "-1"}, "0", "io_uring_disabled=2", "io_uring_disabled=0"},
		{"sysctl before filter", unix.EPERM, uringSysctl{"2", "-1"}, "2", "io_uring_disabled=2", "io_uring_disabled=0"},
		{"no group", unix.EPERM, uringSysctl{"1", "-1"}, "0", "allows it only with CAP_SYS_ADMIN", "set sysctl kernel.io_uring_group"},
		{"group", unix.EPERM, uringSysctl{"1", "999"}, "0", "group 999", "io_uring_group"},
		{"container", unix.EPERM, uringSysctl{"0", "-1"}, "2", "container runtimes", "seccomp profile"},
		{"policy", unix.EPERM, uringSysctl{}, "0", "security module", "SELinux"},
		{"old kernel", unix.ENOSYS, uringSysctl{}, "0", "kernel lacks it", "5.6"},
		{"filter with ENOSYS", unix.ENOSYS, uringSysctl{}, "2", "filter", "seccomp profile"},
		{"memory", unix.ENOMEM, uringSysctl{}, "0", "ENOMEM", "ulimit -l"},
		{"other policy", unix.EACCES, uringSysctl{"0", "-1"}, "0", "EACCES: permission denied, perhaps", "SELinux"},
		{"half a filter", fmt.Errorf("io_uring_enter: %w", unix.EPERM), uringSysctl{"0", "-1"}, "2", "seccomp filter", "io_uring_enter"},
		{"too old", fmt.Errorf("sluice: driver uring: %w", fmt.Errorf("older than 5.6: %w", errors.ErrUnsupported)), uringSysctl{}, "0", "older than 5.6", "5.6"},
		{"other", unix.EMFILE, uringSysctl{}, "0", "EMFILE: too many", "next driver"},
	} {
		c := uringRefused(test.err, test.sysctl, test.filter)
		if c.Status != Warn || !strings.Contains(c.Found, test.found) || !strings.Contains(c.Advice, test.advice) {
			t.Errorf("%s: %+v; want %q, advice %q", test.name, c, test.found, test.advice)
		}
	}
}

// TestAIORefused covers the ways in which machines refuse Linux AIO.
func TestAIORefused(t *testing.T) {
	for _, test := range []struct {
		err           error
		filter        seccomp
		found, advice string
	}{
		{unix.EAGAIN, "2", "fs.aio-max-nr=65536 is used up", "sysctl fs.aio-max-nr"},
		{unix.EPERM, "2", "EPERM: the seccomp filter", "io_setup"},
		{unix.EPERM, "0", "EPERM", "next driver"},
		{unix.ENOSYS, "2", "or the seccomp filter", "io_setup"},
		{unix.ENOSYS, "0", "this kernel lacks it", "CONFIG_AIO"},
	} {
		c := aioRefused(test.err, "65536", "65536", test.filter)
		if c.Status != Note || !strings.Contains(c.Found, test.found) || !strings.Contains(c.Advice, test.advice) {
			t.Errorf("%v, filter %s: %+v; want %q, advice %q", test.err, test.filter, c, test.found, test.advice)
		}
	}
}

func TestDirectRefused(t *testing.T) {
	if c := directRefused(&os.PathError{Err: unix.EINVAL}); c.Found != "not on this file system" || c.Advice == "" {
		t.Errorf("EINVAL: %+v", c)
	}
	// This error is not about the file system.
	if c := directRefused(&os.PathError{Err: unix.EMFILE}); !strings.Contains(c.Found, "too many open files") || c.Advice != "" {
		t.Errorf("EMFILE: %+v", c)
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		check Check
		want  Status
	}{
		{memlock(64<<10, "5.10.0-33-amd64"), Note},
		{memlock(64<<10, "6.1"), OK},
		{memlock(64<<10, "6.13.9"), OK},
		{memlock(64<<10, "6.14.6"), Note},
		{memlock(1<<20, "6.18.1"), Note}, // too little for 45 Schedulers of a user
		{memlock(8<<20, "6.18.1"), OK},
		{memlock(8<<20, "5.10.0"), OK},
		{memlock(unlimited, "5.10.0"), OK},
		{files(1024), Note},
		{files(1 << 20), OK},
		{files(unlimited), OK},
		{tasks(100, "cgroup pids.max"), Warn},
		{tasks(96_000, "ulimit -u"), OK},
		{tasks(unlimited, ""), OK},
	} {
		if test.check.Status != test.want || (test.want != OK && test.check.Advice == "") {
			t.Errorf("%+v; want %s", test.check, test.want)
		}
	}
}

func TestChosen(t *testing.T) {
	for list, want := range map[string]string{
		"always [madvise] never": "madvise",
		"":                       "unknown",
	} {
		if got := chosen(list); got != want {
			t.Errorf("chosen(%q) = %q; want %q", list, got, want)
		}
	}
}
