package testenv

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// Held is what a process holds that a Scheduler might leave behind.
type Held struct {
	Files      []string // the files of its descriptors
	Mappings   int      // of io_uring and AIO
	Goroutines int
}

// HeldNow returns what this process holds.
func HeldNow(t *testing.T) (h Held) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			h.Files = append(h.Files, fd.Name()+" "+to)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	h.Mappings = strings.Count(string(maps), "io_uring") + strings.Count(string(maps), "[aio]")
	h.Goroutines = runtime.NumGoroutine()
	return h
}

// More returns what now holds and h does not.
func (h Held) More(now Held) (more []string) {
	for _, f := range now.Files {
		if !slices.Contains(h.Files, f) && !strings.Contains(f, "/proc/") {
			more = append(more, "descriptor "+f)
		}
	}
	if now.Mappings > h.Mappings {
		more = append(more, fmt.Sprint(now.Mappings-h.Mappings, " mappings"))
	}
	if now.Goroutines > h.Goroutines {
		more = append(more, fmt.Sprint(now.Goroutines-h.Goroutines, " goroutines"))
	}
	return more
}

func init() {
	// descriptors prints a program's descriptors except for stdin, stdout, stderr and the
	// netpoller's.
	Children["descriptors"] = func() error {
		fds, err := os.ReadDir("/proc/self/fd")
		for _, fd := range fds {
			to, _ := os.Readlink("/proc/self/fd/" + fd.Name())
			if fd.Name() > "2" && !strings.Contains(to, "eventpoll") {
				fmt.Println(fd.Name(), to)
			}
		}
		return err
	}
}
