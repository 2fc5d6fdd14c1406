package doctor

import (
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
		{"group", unix.EPERM, uringSysctl{"1", "999"}, "0", "group 999", "io_uring_group"},
		{"container", unix.EPERM, uringSysctl{"0", "-1"}, "2", "container runtimes", "seccomp profile"},
		{"policy", unix.EPERM, uringSysctl{}, "0", "security module", "SELinux"},
		{"old kernel", unix.ENOSYS, uringSysctl{}, "0", "kernel lacks it", "5.6"},
		{"filter with ENOSYS", unix.ENOSYS, uringSysctl{}, "2", "filter", "seccomp profile"},
		{"memory", unix.ENOMEM, uringSysctl{}, "0", "ENOMEM", "ulimit -l"},
		{"other", unix.EMFILE, uringSysctl{}, "0", "too many open files", ""},
	} {
		c := uringRefused(test.err, test.sysctl, test.filter)
		if c.Status != Warn || !strings.Contains(c.Found, test.found) || !strings.Contains(c.Advice, test.advice) {
			t.Errorf("%s: %+v; want %q, advice %q", test.name, c, test.found, test.advice)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		check Check
		want  Status
	}{
		{memlock(8 << 20), Note},
		{memlock(1 << 30), OK},
		{memlock(unlimited), OK},
		{files(1024), Note},
		{files(1 << 20), OK},
		{files(unlimited), OK},
		{tasks(100, "cgroup pids.max"), Warn},
		{tasks(96_000, "ulimit -u"), OK},
		{tasks(unlimited, ""), OK},
		{aioRefused(unix.EAGAIN, "65536", "65536"), Note},
		{aioRefused(unix.ENOSYS, "", ""), Note},
	} {
		if test.check.Status != test.want || (test.want != OK && test.check.Advice == "") {
			t.Errorf("%+v; want %s", test.check, test.want)
		}
	}
}

func TestChosen(t *testing.T) {
	for list, want := range map[string]string{
		"always [madvise] never": "madvise",
		"":                       "not in this kernel",
	} {
		if got := chosen(list); got != want {
			t.Errorf("chosen(%q) = %q; want %q", list, got, want)
		}
	}
}
