package crowd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// TestMain makes the test binary the process, if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "crowd" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "dying" {
		fmt.Fprintln(os.Stderr, "runtime: program exceeds 10000-thread limit\nfatal error: thread exhaustion\n\nruntime stack:")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

func self(t testing.TB, as string) Program {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Program{Exe: exe, Argv: []string{exe, as}}
}

func job(t *testing.T, side load.Side, size int64) Job {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	return Job{Path: name, Side: side, Goroutines: 50}
}

// TestRun has 50 goroutines read through both sides. put must be called before the process begins.
func TestRun(t *testing.T) {
	for _, side := range []load.Side{load.OSFile, load.Sluice("pool")} {
		t.Run(side.Name, func(t *testing.T) {
			put := 0
			o, err := Run(t.Context(), self(t, "crowd"), job(t, side, Size(50)), func(pid int) error { put = pid; return nil })
			if err != nil || o.Died != "" {
				t.Fatalf("Run = %+v, %v", o, err)
			}
			if put <= 0 || o.Threads < 1 || o.Buffers != 50*page || o.Stacks <= 0 || o.Resident < o.Buffers || o.Elapsed <= 0 {
				t.Errorf("of process %d: %+v; want threads, memory and time", put, o)
			}
			if (side.Way == load.ByOS) != (o.Explain == "") {
				t.Errorf("%s explains %q", side.Name, o.Explain)
			}
		})
	}
}

// TestRunDies checks that a process that died is an outcome with the runtime's message, even if it
// died before it got its job.
func TestRunDies(t *testing.T) {
	dead := func(pid int) error {
		for {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil || strings.Contains(string(stat), ") Z ") {
				return err
			}
			time.Sleep(time.Millisecond)
		}
	}
	o, err := Run(t.Context(), self(t, "dying"), job(t, load.OSFile, Size(50)), dead)
	const want = "runtime: program exceeds 10000-thread limit fatal error: thread exhaustion"
	if err != nil || o.Died != want {
		t.Errorf("Run = %q, %v; want %q", o.Died, err, want)
	}
}

// TestRunFails checks that a short read is an error, and so is a put that fails.
func TestRunFails(t *testing.T) {
	_, err := Run(t.Context(), self(t, "crowd"), job(t, load.OSFile, page), func(int) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "of 4096 bytes: EOF") {
		t.Errorf("Run on a short file = %v; want what went wrong", err)
	}
	no := errors.New("no such group")
	if _, err := Run(t.Context(), self(t, "crowd"), job(t, load.OSFile, Size(50)), func(int) error { return no }); !errors.Is(err, no) {
		t.Errorf("Run = %v; want %v", err, no)
	}
}
