package faults

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// faultyCalls has the system calls that fail, with their errors. EBUSY of io_uring_enter is
// excluded: it means that there are completions to reap. They wake Reap, which submits the rest.
var faultyCalls = []struct {
	name   string
	nr     int
	errnos []syscall.Errno
}{
	{"openat", unix.SYS_OPENAT, []syscall.Errno{unix.EMFILE, unix.EIO, unix.EINTR}},
	{"fstat", unix.SYS_FSTAT, []syscall.Errno{unix.EIO, unix.ENOMEM, unix.EINTR}},
	{"fallocate", unix.SYS_FALLOCATE, []syscall.Errno{unix.ENOSPC, unix.EIO, unix.EINTR}},
	{"fsync", unix.SYS_FSYNC, []syscall.Errno{unix.EIO, unix.ENOSPC, unix.EINTR}},
	{"fdatasync", unix.SYS_FDATASYNC, []syscall.Errno{unix.EIO, unix.EDQUOT, unix.EINTR}},
	{"syncfs", unix.SYS_SYNCFS, []syscall.Errno{unix.EIO, unix.ENOSPC}},
	{"close", unix.SYS_CLOSE, []syscall.Errno{unix.EIO, unix.EDQUOT, unix.EINTR}},
	{"io_uring_enter", unix.SYS_IO_URING_ENTER, []syscall.Errno{unix.EPERM, unix.EIO, unix.EINTR, unix.EAGAIN, unix.ENOMEM}},
	{"io_submit", unix.SYS_IO_SUBMIT, []syscall.Errno{unix.EPERM, unix.EIO, unix.EINTR, unix.EAGAIN, unix.ENOMEM}},
	{"mmap", unix.SYS_MMAP, []syscall.Errno{unix.ENOMEM, unix.EAGAIN}},
}

// The child asks its supervisor by a system call that no kernel has. The first argument is one of
// these.
const (
	sysAsk = 0x5afe

	askStart = iota
	askStop
	askMay        // how many calls failed with errors that may be returned
	askMust       // how many of them must be returned
	askUnanswered // how many of askMay's calls are fstat
	// askOpen asks for the next descriptor that is open because its close failed; -1 means none.
	askOpen
)

func ask(what uintptr) int {
	r, _, e := unix.Syscall(sysAsk, what, 0, 0)
	if e != 0 {
		panic("the supervisor has not answered: " + e.Error())
	}
	return int(r) - 1
}

// supervisor decides about the system calls of a workload in another process.
type supervisor struct {
	load string
	dir  string // the directory of the workload's files
	nr   int    // the call that fails
	what trouble
	at   int

	active    bool
	seen      map[int]int // calls while active, by number
	hits      int
	may, must int
	// unanswered is the number of fstats in may.
	unanswered int
	open       []int
	log        []string // the failed calls
}

func (s *supervisor) decide(c testenv.Syscall) testenv.Answer {
	switch {
	case c.Nr == sysAsk:
		return testenv.Answer{Value: int64(s.answer(c.Args[0])) + 1}
	case !s.active || strings.HasPrefix(c.Func, "runtime."): // the Go runtime's own calls
		return testenv.Answer{Make: true}
	}
	at := s.seen[c.Nr]
	s.seen[c.Nr]++
	if c.Nr != s.nr || at != s.at && (at < s.at || !s.what.forever) || s.what.errno == 0 || !s.hit() {
		return testenv.Answer{Make: true}
	}
	may, must, name := s.judge(c)
	s.may += b2i(may)
	s.must += b2i(must)
	s.log = append(s.log, fmt.Sprintf("call %d: %s(%#x, %q) by %s: may=%t must=%t", at, callName(c.Nr), c.Args[:4], name, c.Func, may, must))
	switch c.Nr {
	case unix.SYS_CLOSE:
		s.open = append(s.open, int(c.Args[0]))
	case unix.SYS_FSTAT:
		s.unanswered += b2i(may)
	}
	return testenv.Answer{Errno: s.what.errno}
}

// hit reports whether the next call fails. A kernel never asks for ever to repeat a call.
// io_uring_enter may report a lack of memory for ever, and the ring is given up after 10 s: package
// uring tests that.
func (s *supervisor) hit() bool {
	s.hits++
	again := s.what.errno == unix.EINTR || s.what.errno == unix.EAGAIN
	return s.hits <= interruptions || !again && (s.nr != unix.SYS_IO_URING_ENTER || s.what.errno != unix.ENOMEM)
}

func callName(nr int) string {
	for _, c := range faultyCalls {
		if c.nr == nr {
			return c.name
		}
	}
	return strconv.Itoa(nr)
}

func (s *supervisor) answer(what uint64) int {
	switch what {
	case askStart, askStop:
		s.active = what == askStart
	case askMay:
		return s.may
	case askMust:
		return s.must
	case askUnanswered:
		return s.unanswered
	case askOpen:
		if len(s.open) == 0 {
			return -1
		}
		fd := s.open[0]
		s.open = s.open[1:]
		return fd
	}
	return 0
}

// judge reports whether the workload's call may return the error of a system call, and whether it
// must.
func (s *supervisor) judge(c testenv.Syscall) (may, must bool, name string) {
	fd := int(int32(c.Args[0]))
	switch c.Nr {
	case unix.SYS_IO_URING_ENTER:
		return false, false, "" // the driver tries again, or plain calls are made
	case unix.SYS_IO_SUBMIT:
		// If the next io_submit succeeds, the error is taken for an operation's error, unless it
		// says that the kernel lacks memory.
		switch s.what.errno {
		case unix.EINTR, unix.EAGAIN, unix.ENOMEM:
			return false, false, ""
		}
		return true, false, ""
	case unix.SYS_OPENAT:
		name = s.path(c)
	case unix.SYS_MMAP:
		fd = int(int32(c.Args[4]))
		name = link(c.TID, fd)
	default:
		name = link(c.TID, fd)
	}
	its := within(name, s.dir) // the workload's file, not /proc, a ring or memory
	switch {
	case c.Nr == unix.SYS_CLOSE:
		// A file that was only read, or that is closed after an fsync, has lost nothing. The copy
		// of a tree ignores EINTR.
		must := its && writable(c.TID, fd) && !within(name, s.dir+"/"+fsynced)
		return true, must && (s.load != treeName || s.what.errno != unix.EINTR), name
	case s.what.errno == unix.EINTR:
		return false, false, name // the system call is repeated
	case c.Nr == unix.SYS_FSTAT:
		// See also world.unanswered, and asks. The copy of a tree checks whether it copies into
		// itself.
		return its || within(s.dir, name), false, name
	case c.Nr == unix.SYS_MMAP && fd < 0, // memory for buffers
		within(name, "/proc/self/fd"), // a second descriptor of the file
		// An open, with the limits of fstat.
		c.Nr == unix.SYS_OPENAT && (within(s.dir, name) || c.Args[2]&unix.O_PATH != 0):
		return true, false, name
	}
	return its, its, name
}

func within(name, dir string) bool {
	name, dir = filepath.Clean(name), filepath.Clean(dir)
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// writable reports whether a descriptor is open for writing.
func writable(tid, fd int) bool {
	info, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", tid, fd))
	_, flags, _ := strings.Cut(string(info), "flags:\t")
	flags, _, _ = strings.Cut(flags, "\n")
	n, _ := strconv.ParseInt(flags, 8, 64)
	return n&unix.O_ACCMODE != unix.O_RDONLY
}

// link returns the name of a descriptor's file.
func link(tid, fd int) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
	return name
}

// path returns the name argument of openat.
func (s *supervisor) path(c testenv.Syscall) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", c.TID))
	if err != nil {
		return err.Error()
	}
	defer mem.Close()
	b := make([]byte, unix.PathMax)
	n, _ := mem.ReadAt(b, int64(c.Args[1]))
	b, _, _ = bytes.Cut(b[:n], []byte{0})
	if dir := link(c.TID, int(int32(c.Args[0]))); !filepath.IsAbs(string(b)) && dir != "" {
		return dir + "/" + string(b)
	}
	return string(b)
}

// Syscalls is TestSyscalls: each system call of each workload fails in each way. The test binary
// must also have a test TestSupervised, which calls Supervised with the same workloads.
func Syscalls(t *testing.T, workloads []Workload) {
	r := rand.New(rand.NewPCG(seed.Of(t), 0))
	dir := places.Disk(t)
	runs := 0
	for _, load := range workloads {
		if *only != "" && *only != load.name {
			continue
		}
		for _, d := range []string{"uring", "aio", "pool"} {
			t.Run(load.name+"/"+d, func(t *testing.T) {
				one := func(nr int, what trouble, at int) *supervisor {
					s := supervised(t, dir, load.name, d, nr, what, at)
					runs++
					return s
				}
				clean := one(0, trouble{}, never)
				for _, call := range faultyCalls {
					if *fails != "" && *fails != call.name {
						continue
					}
					for _, errno := range call.errnos {
						for _, forever := range []bool{false, true} {
							// few is large enough that some of each call fail.
							few := max(1, 10/float64(clean.seen[call.nr]))
							for at := range clean.seen[call.nr] {
								if t.Failed() {
									return
								}
								if r.Float64() < *share*few {
									one(call.nr, trouble{errno, forever}, at)
								}
							}
						}
					}
				}
				var counts []string
				for _, call := range faultyCalls {
					counts = append(counts, fmt.Sprint(clean.seen[call.nr], " ", call.name))
				}
				t.Log(strings.Join(counts, ", "))
			})
		}
	}
	t.Logf("figure: %d runs", runs)
}

// supervised runs a workload once, in a new process.
func supervised(t *testing.T, dir, load, driver string, nr int, what trouble, at int) *supervisor {
	t.Helper()
	dir, err := os.MkdirTemp(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, its := os.NewFile(uintptr(pair[0]), "socket"), os.NewFile(uintptr(pair[1]), "socket")
	defer ours.Close()
	defer its.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-test.run=^TestSupervised$", "-test.v",
		dir, load, driver, strconv.Itoa(int(what.errno)), strconv.FormatBool(what.forever), strconv.Itoa(at))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.ExtraFiles = []*os.File{its}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	its.Close()
	s := &supervisor{load: load, dir: dir, nr: nr, what: what, at: at, seen: make(map[int]int)}
	err = testenv.Supervise(ours, s.decide)
	if e := cmd.Wait(); e != nil || err != nil || !bytes.Contains(out.Bytes(), []byte("--- PASS: TestSupervised")) {
		if bytes.Contains(out.Bytes(), []byte("--- SKIP")) {
			skip.For(t, skip.Seccomp, out.String())
		}
		t.Errorf("%s: %s, from call %d on: %v, %v\n%s\n%s", callName(nr), what, at, e, err, strings.Join(s.log, "\n"), out.String())
	}
	return s
}

// Supervised is TestSupervised: the process of TestSyscalls that runs the workload.
func Supervised(t *testing.T, workloads []Workload) {
	if flag.NArg() != 6 {
		skip.For(t, skip.Case, "this is a part of TestSyscalls")
	}
	dir, name, options := flag.Arg(0), flag.Arg(1), sluice.Options{Driver: flag.Arg(2)}
	errno, err1 := strconv.Atoi(flag.Arg(3))
	forever, err2 := strconv.ParseBool(flag.Arg(4))
	at, err3 := strconv.Atoi(flag.Arg(5))
	err := errors.Join(err1, err2, err3)
	if err != nil {
		t.Fatal(err)
	}
	testenv.Scheduler(t, options).Close() // the first Scheduler makes things that stay for good
	calls := []uint32{sysAsk}
	for _, c := range faultyCalls {
		calls = append(calls, uint32(c.nr))
	}
	w := newWorld(t, dir)
	w.what, w.at = trouble{syscall.Errno(errno), forever}, at
	if err := testenv.Supervised(os.NewFile(3, "socket"), calls); err != nil {
		skip.For(t, skip.Seccomp, "no process can decide about the system calls of another one here: ", err)
	}
	w.supervised = true
	before := testenv.HeldNow(t)
	ended := watch("the workload")
	ask(askStart)
	// NewScheduler opens the named driver, or returns why it cannot.
	if w.s, err = sluice.NewScheduler(options); err != nil {
		if errno == 0 || !errors.Is(err, w.what.errno) {
			w.wrong("NewScheduler = %v", err)
		}
	} else {
		for _, load := range workloads {
			if load.name == name {
				load.run(w)
			}
		}
		w.idle()
		w.call("Close of the Scheduler", w.s.Close)
	}
	ask(askStop)
	ended()
	for {
		fd := ask(askOpen)
		if fd < 0 {
			break
		}
		unix.Close(fd)
	}
	w.compare()
	var more []string
	w.settles(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
		func() string { return "left behind: " + strings.Join(more, ", ") })
}
