package seccomp

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// These tests take something away from a process that has a Scheduler. A seccomp filter takes
// system calls. Other code takes descriptors: it closes those that it does not know, or reuses
// their numbers.

func init() {
	testenv.Children["taken away"] = runTaken
}

// The environment of the child "taken away", besides errnoEnv and testenv.DirEnv.
const (
	takeEnv = "SLUICE_TEST_TAKE" // one of testenv.Denials, or of takers
	whenEnv = "SLUICE_TEST_WHEN" // "start", "middle"
	lostEnv = "SLUICE_TEST_LOST" // the fewest drivers to be lost
)

// takers are values of SLUICE_TEST_TAKE other than system calls.
var takers = map[string]func(*descriptorsOf) error{
	"close":       (*descriptorsOf).closeAll,
	"dup2":        (*descriptorsOf).replaceAll,
	"close_range": func(*descriptorsOf) error { return unix.CloseRange(3, ^uint(0), 0) },
}

// runTaken does I/O of all kinds, has something taken away, and closes its Scheduler. Then it
// prints the number of lost drivers, and Explain.
func runTaken() error {
	s, err := sluice.NewScheduler(sluice.Options{Driver: os.Getenv("SLUICE_DRIVER")})
	if err != nil {
		fmt.Println("skip: seccomp:", err)
		return nil
	}
	what, atStart := os.Getenv(takeEnv), os.Getenv(whenEnv) == "start"
	descriptors := &descriptorsOf{dir: os.Getenv(testenv.DirEnv)}
	take := func() error { return takers[what](descriptors) }
	if takers[what] == nil {
		errno := testenv.DenialErrnos[os.Getenv(errnoEnv)]
		take = func() error { return testenv.Deny(testenv.Denials[what], errno) }
	}
	if what == "close_range" && openOf("[eventpoll]") != nil {
		fmt.Println("skip: platform: the Go runtime has descriptors before main")
		return nil
	}
	if atStart {
		if err := take(); err != nil {
			return err
		}
		take = func() error { return nil }
	}
	before := runtime.NumGoroutine()
	if what != "close_range" {
		descriptors.begin()
	}
	least, _ := strconv.Atoi(os.Getenv(lostEnv))
	lost := func() bool { return s.Stats().LostRings >= least }
	if err := (&mixture{s: s, dir: descriptors.dir, take: take, until: lost}).run(); err != nil {
		return err
	}
	fmt.Println("lost:", s.Stats().LostRings)
	fmt.Print(s.Explain())
	if err := s.Close(); err != nil && !atStart {
		return fmt.Errorf("Close: %w", err)
	}
	for end := time.Now().Add(testenv.Patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%d goroutines more than before", runtime.NumGoroutine()-before)
		}
	}
	return descriptors.check()
}

// descriptorsOf has the descriptors of a Scheduler.
type descriptorsOf struct {
	dir      string
	events   []int // eventfds of other owners
	replaced []int
}

// begin records the eventfd of the Go runtime, which goes with the first file that may be polled.
func (d *descriptorsOf) begin() {
	if f, err := os.Open(d.dir); err == nil {
		_ = f.SetReadDeadline(time.Time{})
		f.Close()
	}
	d.events = openOf("[eventfd]")
}

// openOf returns the descriptors whose file's name has this suffix.
func openOf(suffix string) (fds []int) {
	names, _ := os.ReadDir("/proc/self/fd")
	for _, n := range names {
		to, _ := os.Readlink("/proc/self/fd/" + n.Name())
		if fd, err := strconv.Atoi(n.Name()); err == nil && strings.HasSuffix(to, suffix) {
			fds = append(fds, fd)
		}
	}
	return fds
}

// all returns the descriptors that stay. A driver may open one as a trial; soon after, its number
// belongs to a file of the test or to another trial.
func (d *descriptorsOf) all() (stay []int) {
	for len(stay) == 0 { // none is open yet
		seen := d.now()
		for range 4 {
			time.Sleep(5 * time.Millisecond)
			now := d.now()
			maps.DeleteFunc(seen, func(fd int, id string) bool { again, ok := now[fd]; return !ok || again != id })
		}
		stay = slices.Collect(maps.Keys(seen))
	}
	return stay
}

// now returns the open descriptors, with a text that tells eventfds apart. An eventfd that the
// netpoller does not know yet is still being set up: the driver may close its number, whatever file
// has it by then.
func (d *descriptorsOf) now() map[int]string {
	var polled strings.Builder
	for _, fd := range openOf("[eventpoll]") {
		info, _ := os.ReadFile(fmt.Sprint("/proc/self/fdinfo/", fd))
		polled.WriteString(strings.Join(strings.Fields(string(info)), " ")) // "… tfd: 7 events: …"
	}
	events := slices.DeleteFunc(openOf("[eventfd]"), func(fd int) bool {
		return slices.Contains(d.events, fd) || !strings.Contains(polled.String(), fmt.Sprintf("tfd: %d ", fd))
	})
	now := make(map[int]string)
	for _, fd := range append(openOf("[io_uring]"), events...) {
		info, _ := os.ReadFile(fmt.Sprint("/proc/self/fdinfo/", fd))
		_, now[fd], _ = strings.Cut(string(info), "eventfd-id:")
	}
	return now
}

func (d *descriptorsOf) closeAll() error {
	for _, fd := range d.all() {
		unix.Close(fd)
	}
	return nil
}

const logText = "what the program logs\n"

func (d *descriptorsOf) replaceAll() error {
	log, err := os.Create(filepath.Join(d.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	if _, err := log.WriteString(logText); err != nil {
		return err
	}
	for _, fd := range d.all() {
		if err := unix.Dup3(int(log.Fd()), fd, unix.O_CLOEXEC); err != nil {
			return err
		}
		d.replaced = append(d.replaced, fd)
	}
	return nil
}

// check checks that the new owners of the numbers were left alone.
func (d *descriptorsOf) check() error {
	for _, fd := range d.replaced {
		if to, err := os.Readlink(fmt.Sprint("/proc/self/fd/", fd)); filepath.Base(to) != "log" {
			return fmt.Errorf("descriptor %d of the program is %q, %w", fd, to, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(d.dir, "log")); len(d.replaced) > 0 && string(b) != logText {
		return fmt.Errorf("the program's log is %q, %w", b, err)
	}
	return nil
}

// TestTakenAway checks that I/O continues by plain calls, that nothing is lost or wrong, and that
// Stats and Explain say so.
func TestTakenAway(t *testing.T) {
	made := 0
	defer func() { t.Logf("figure: %d processes", made) }()
	for _, c := range []struct {
		driver, take, errno, when string
		least, most               int // lost drivers: rings, and the one for fsyncs
	}{
		{"uring", "uring_enter", "EPERM", "start", 1, 1},
		{"uring", "uring_enter", "EPERM", "middle", 1, 2},
		{"uring", "uring_enter", "ENOSYS", "middle", 1, 2},
		{"uring", "uring", "EPERM", "start", 1, 1},
		{"uring", "uring aio", "EPERM", "start", 1, 2},
		{"uring", "uring aio", "ENOSYS", "middle", 1, 2},
		{"uring", "io_submit", "EPERM", "middle", 0, 1},
		{"uring", "uring_register", "EPERM", "middle", 0, 1}, // a ring that is opened later
		{"uring", "preadv2", "EPERM", "middle", 0, 0},
		{"uring", "close_range", "", "start", 0, 0},
		{"uring", "close", "", "middle", 1, 2},
		{"uring", "dup2", "", "middle", 1, 2},
		{"aio", "io_submit", "EPERM", "start", 1, 1},
		{"aio", "io_submit", "EPERM", "middle", 1, 2},
		{"aio", "io_submit", "ENOSYS", "middle", 1, 2},
		{"aio", "io_getevents", "EPERM", "middle", 0, 0},
		{"aio", "uring aio", "EPERM", "middle", 1, 2},
		{"aio", "close_range", "", "start", 0, 0},
		{"aio", "close", "", "middle", 1, 2},
		{"aio", "dup2", "", "middle", 1, 2},
		{"pool", "uring aio", "EPERM", "middle", 0, 0},
		{"pool", "close_range", "", "start", 0, 0},
	} {
		t.Run(strings.Join([]string{c.driver, c.take, c.errno, c.when}, " "), func(t *testing.T) {
			out, ok := testenv.Child(t, "taken away", takeEnv+"="+c.take, errnoEnv+"="+c.errno, whenEnv+"="+c.when,
				lostEnv+"="+strconv.Itoa(c.least), testenv.DirEnv+"="+t.TempDir(), "SLUICE_DRIVER="+c.driver)
			if !ok {
				t.Fatal(out)
			}
			lost, err := strconv.Atoi(strings.TrimPrefix(strings.SplitN(out, "\n", 2)[0], "lost: "))
			if err != nil || lost < c.least || lost > c.most {
				t.Errorf("%d drivers were lost (%v); want %d to %d: %s", lost, err, c.least, c.most, out)
			}
			made++
			if n := strings.Count(out, "stopped working"); n != lost {
				t.Errorf("Explain tells of %d lost drivers; want %d: %s", n, lost, out)
			}
		})
	}
}

// TestTakenAwayOnSlowDisk is TestTakenAway with slow operations in flight.
func TestTakenAwayOnSlowDisk(t *testing.T) {
	dir := testenv.SlowDisk(t)
	for _, c := range []struct{ driver, take string }{{"uring", "uring_enter"}, {"uring", "dup2"}, {"aio", "io_submit"}} {
		t.Run(c.driver+" "+c.take, func(t *testing.T) {
			sub, err := os.MkdirTemp(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			out, ok := testenv.Child(t, "taken away", takeEnv+"="+c.take, errnoEnv+"=EPERM", whenEnv+"=middle",
				lostEnv+"=1", testenv.DirEnv+"="+sub, "SLUICE_DRIVER="+c.driver)
			if !ok || !strings.Contains(out, "stopped working") {
				t.Error(out)
			}
		})
	}
}
