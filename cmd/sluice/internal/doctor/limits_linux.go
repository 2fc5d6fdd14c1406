package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/bench/report"
)

// Limits that are enough for programs with much I/O.
const (
	enoughMemlock = 8 << 20  // the rings of 80 Schedulers, each with 3 devices and Batches
	enoughFiles   = 16 << 10 // 16,384
	enoughTasks   = 1 << 10  // 1,024 threads of this user or cgroup
)

// limits returns the checks of this process's limits. kernel is the kernel's release.
func limits(kernel string) []Check {
	return []Check{
		memlock(limit(unix.RLIMIT_MEMLOCK), kernel),
		files(limit(unix.RLIMIT_NOFILE)),
		tasks(taskLimit()),
		hugePages(),
	}
}

// unlimited means that there is no limit.
const unlimited = ^uint64(0)

func limit(resource int) uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(resource, &l) != nil {
		return unlimited
	}
	return l.Cur
}

// memlock checks the limit of locked memory, which some kernels charge io_uring's rings to.
func memlock(n uint64, kernel string) Check {
	c := Check{Name: "locked memory", Status: OK, Found: "unlimited"}
	if n == unlimited {
		return c
	}
	c.Found = "at most " + report.Bytes(int64(min(n, 1<<62))) + " (ulimit -l)"
	if n < enoughMemlock && chargesRings(kernel) {
		c.Status = Note
		c.Advice = "raise it to 8 MiB (LimitMEMLOCK=8M, --ulimit memlock=8388608): " +
			"a Scheduler usually needs 100 KiB of it for io_uring's rings, and all processes of a user share it"
	}
	return c
}

// chargesRings reports whether a kernel of that release charges the rings of processes without
// CAP_IPC_LOCK to their limit of locked memory: before Linux 5.12, and from 6.14 on.
func chargesRings(kernel string) bool { return before(kernel, 5, 12) || !before(kernel, 6, 14) }

// before reports whether a kernel's release is older than a version.
func before(kernel string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(kernel, "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a < major || a == major && b < minor
}

func files(n uint64) Check {
	c := Check{Name: "open files", Status: OK, Found: "at most " + strconv.FormatUint(n, 10) + " (ulimit -n)"}
	if n == unlimited {
		c.Found = "unlimited"
	}
	if n < enoughFiles {
		c.Status = Note
		c.Advice = "raise it (LimitNOFILE=, --ulimit nofile=) for programs with many files"
	}
	return c
}

func tasks(n uint64, source string) Check {
	if n == unlimited {
		return Check{Name: "threads", Status: OK, Found: "unlimited"}
	}
	c := Check{Name: "threads", Status: OK, Found: fmt.Sprintf("at most %d (%s)", n, source)}
	if n < enoughTasks {
		c.Status = Warn
		c.Advice = "raise it (TasksMax=, --pids-limit): os.File needs a thread for each blocked call"
	}
	return c
}

// taskLimit returns the lowest limit of threads, and its name.
func taskLimit() (least uint64, source string) {
	least = unlimited
	take := func(n uint64, name string) {
		if n < least {
			least, source = n, name
		}
	}
	take(limit(unix.RLIMIT_NPROC), "ulimit -u")
	take(number(readText("/proc/sys/kernel/threads-max")), "kernel.threads-max")
	take(number(readText(pidsMax())), "cgroup pids.max")
	return least, source
}

// pidsMax returns the name of the file with the limit of this process's cgroup, of
// version 1 or 2.
func pidsMax() string {
	for line := range strings.Lines(readText("/proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[1] == "pids":
			return "/sys/fs/cgroup/pids" + fields[2] + "/pids.max"
		case fields[1] == "" && exists("/sys/fs/cgroup"+fields[2]+"/pids.max"):
			return "/sys/fs/cgroup" + fields[2] + "/pids.max"
		}
	}
	return ""
}

// number returns text as a number. "max", like any other text, is unlimited.
func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return unlimited
	}
	return n
}

func hugePages() Check {
	const name = "huge pages"
	reserved := readText("/proc/sys/vm/nr_hugepages")
	mode := chosen(readText("/sys/kernel/mm/transparent_hugepage/enabled"))
	if reserved == "" {
		reserved = "unknown"
	}
	found := fmt.Sprintf("transparent: %s; reserved: %s", mode, reserved)
	if mode == "never" && reserved == "0" {
		return Check{
			Name: name, Status: Note, Found: found,
			Advice: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled: large direct I/O is up to 3 times as fast with buffers in huge pages",
		}
	}
	return Check{Name: name, Status: OK, Found: found}
}

// chosen returns the word in brackets of a list such as "always [madvise] never".
func chosen(list string) string {
	_, rest, found := strings.Cut(list, "[")
	if !found {
		return "unknown"
	}
	word, _, _ := strings.Cut(rest, "]")
	return word
}
