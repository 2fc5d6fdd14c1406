package duel

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// TestMain makes the test binary a worker, if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "worker":
			if dir := os.Getenv(counted); dir != "" {
				if _, err := os.CreateTemp(dir, "worker"); err != nil {
					panic(err)
				}
			}
			if err := load.Serve(os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "hanging-worker":
			_ = load.Serve(hang(os.Stdin), os.Stdout)
			os.Exit(1)
		case "failing-worker":
			_ = load.Serve(until(os.Stdin, `"seed":3`), os.Stdout)
			fmt.Fprintln(os.Stderr, "the disk has left")
			os.Exit(1)
		case "dying-worker":
			panic("out of luck")
		}
	}
	os.Exit(m.Run())
}

// counted is the variable with the name of a directory in which each worker makes a file.
const counted = "SLUICE_TEST_COUNTED"

// TestProcesses counts processes: for each side one for the setup, one for the warm-up, and one for
// each round.
func TestProcesses(t *testing.T) {
	sides := []load.Side{load.OSFile, load.Sluice("floppy"), load.Sluice("pool")}
	dir := t.TempDir()
	t.Setenv(counted, dir)
	results, err := arena(t, "worker").Compare(t.Context(), Same(readCached, sides), Plan{Time: time.Millisecond, Rounds: 3})
	if err != nil || len(results[0].Rounds) != 3 || len(results[1].Rounds) != 0 || len(results[2].Rounds) != 3 {
		t.Fatalf("Compare = %v, %v; want 3 rounds, none, 3", results, err)
	}
	const want = (1 + 1 + 3) + 1 + (1 + 1 + 3)
	if files, err := os.ReadDir(dir); err != nil || len(files) != want {
		t.Errorf("%d processes, %v; want %d", len(files), err, want)
	}
}

// TestEnough checks that Enough is called after each round, with all rounds so far, and that its
// result decides. Rounds must still be a limit.
func TestEnough(t *testing.T) {
	sides := []load.Side{load.OSFile, load.Sluice("pool")}
	for _, test := range []struct{ limit, enough, want int }{{0, 4, 4}, {2, 4, 2}, {4, 3, 3}} {
		var asked []int
		last := time.Duration(0)
		plan := Plan{Time: time.Millisecond, Rounds: test.limit, Enough: func(results []*Result, spent time.Duration) bool {
			if len(results) != 2 || len(results[0].Rounds) != len(results[1].Rounds) || spent < last {
				t.Errorf("asked with %v after %s; want as many rounds of both sides", results, spent)
			}
			last = spent
			asked = append(asked, len(results[0].Rounds))
			return len(asked) == test.enough
		}}
		results, err := arena(t, "worker").Compare(t.Context(), Same(readCached, sides), plan)
		if err != nil || len(results[0].Rounds) != test.want || len(results[1].Rounds) != test.want {
			t.Errorf("Compare = %v, %v; want %d rounds", results, err, test.want)
		}
		for i, n := range asked {
			if n != i+1 {
				t.Errorf("asked after %v rounds; want each", asked)
			}
		}
	}
}

// TestEnoughOfNothing has no side that this machine can measure, so it must end at once.
func TestEnoughOfNothing(t *testing.T) {
	plan := Plan{Time: time.Millisecond, Enough: func([]*Result, time.Duration) bool { return false }}
	results, err := arena(t, "worker").Compare(t.Context(), Same(readCached, []load.Side{load.Sluice("floppy")}), plan)
	if err != nil || results[0].Unsupported == "" {
		t.Errorf("Compare = %v, %v; want that it is unsupported", results, err)
	}
}

// hung is the variable with the name of a file that a worker makes when it hangs.
const hung = "SLUICE_TEST_HUNG"

// hang passes requests on. os.File's slice with the third seed after the warm-up's hangs.
func hang(requests io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() { // ends with the process
		lines := bufio.NewScanner(requests)
		hangs := false
		for lines.Scan() {
			hangs = hangs || bytes.Contains(lines.Bytes(), []byte("os.File"))
			if hangs && bytes.Contains(lines.Bytes(), []byte(`"seed":4`)) {
				_ = os.WriteFile(os.Getenv(hung), nil, 0o600)
				time.Sleep(time.Hour)
			}
			_, _ = w.Write(append(lines.Bytes(), '\n'))
		}
		_ = w.Close()
	}()
	return r
}

// until passes requests on, up to and including one that contains text.
func until(requests io.Reader, text string) io.Reader {
	r, w := io.Pipe()
	go func() { // ends with the process
		lines := bufio.NewScanner(requests)
		for lines.Scan() && !strings.Contains(lines.Text(), text) {
			_, _ = w.Write(append(lines.Bytes(), '\n'))
		}
		_ = w.Close()
	}()
	return r
}

// TestCompareKeepsFinishedRounds interrupts the third round after one side has finished its slice.
func TestCompareKeepsFinishedRounds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	file := filepath.Join(t.TempDir(), "hung")
	t.Setenv(hung, file)
	go func() { // ends with the test
		for ctx.Err() == nil {
			if _, err := os.Stat(file); err == nil {
				cancel(enough)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	sides := []load.Side{load.Sluice("pool"), load.OSFile, load.Sluice("floppy")}
	results, err := arena(t, "hanging-worker").Compare(ctx, Same(readCached, sides), Plan{Time: time.Millisecond, Rounds: 5})
	if !errors.Is(err, enough) || len(results) != len(sides) {
		t.Fatalf("Compare = %d results, %v; want 3, and the cause of the end", len(results), err)
	}
	for i, want := range []int{2, 2, 0} {
		if got := len(results[i].Rounds); got != want || (results[i].Unsupported != "") != (want == 0) {
			t.Errorf("%s has %d rounds, unsupported %q; want %d", sides[i].Name, got, results[i].Unsupported, want)
		}
	}
}

func arena(t *testing.T, worker string) *Arena {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	// 1 MiB.
	if err := os.WriteFile(path, bytes.Repeat([]byte("sluice. "), 128<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Arena{Path: path, Exe: exe, Argv: []string{exe, worker}}
}

var readCached = load.Load{Kind: load.ReadCached, Size: 4096, Goroutines: 2}

func TestCompare(t *testing.T) {
	sides := []load.Side{load.OSFile, load.Sluice("floppy"), load.Sluice("pool")}
	results, err := arena(t, "worker").Compare(t.Context(), Same(readCached, sides), Plan{Time: time.Millisecond, Rounds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Side != sides[i] {
			t.Errorf("result %d is of %s; want %s", i, r.Side.Name, sides[i].Name)
		}
		if r.Side.Driver == "floppy" {
			if r.Unsupported == "" || len(r.Rounds) != 0 {
				t.Errorf("there is no such driver, and it has %d rounds, unsupported %q", len(r.Rounds), r.Unsupported)
			}
			continue
		}
		if len(r.Rounds) != 3 || r.Unsupported != "" {
			t.Errorf("%s has %d rounds, unsupported %q; want 3", r.Side.Name, len(r.Rounds), r.Unsupported)
		}
		if runtime.GOOS == "linux" && r.Threads < 1 {
			t.Errorf("%s has %d threads", r.Side.Name, r.Threads)
		}
	}
}

// TestProcs checks GOMAXPROCS of a worker.
func TestProcs(t *testing.T) {
	for procs, want := range map[int]string{0: "GOMAXPROCS=7", 3: "GOMAXPROCS=3"} {
		t.Setenv("GOMAXPROCS", "7")
		a := &Arena{Exe: "worker", Programs: map[load.Way]Program{load.ByGoBuild: {Exe: "reader", Env: []string{"A=1"}}}}
		for _, way := range []load.Way{load.ByOS, load.ByGoBuild} {
			cmd := a.command(t.Context(), Entry{load.Load{Procs: procs}, load.Side{Way: way}})
			got := ""
			for _, v := range cmd.Environ() {
				if strings.HasPrefix(v, "GOMAXPROCS=") {
					got = v
				}
			}
			if got != want || way == load.ByGoBuild && !slices.Contains(cmd.Env, "A=1") {
				t.Errorf("of %s with %d processors the environment has %q; want %q", way, procs, got, want)
			}
		}
	}
}

// TestCompareServes serves a file: the processes send it to this one.
func TestCompareServes(t *testing.T) {
	sides := []load.Side{load.OSFile, load.Sluice("pool")}
	l := load.Load{Kind: load.ServeFile, Size: 64 << 10, Goroutines: 2}
	results, err := arena(t, "worker").Compare(t.Context(), Same(l, sides), Plan{Time: time.Millisecond, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.Rounds) != 2 || r.Unsupported != "" {
			t.Errorf("%s has %d rounds, unsupported %q; want 2", r.Side.Name, len(r.Rounds), r.Unsupported)
		}
	}
}

// TestCompareLoads has a different load for each entry, and a missing fio.
func TestCompareLoads(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	entries := []Entry{
		{readCached, load.OSFile},
		{load.Load{Kind: load.ReadCached, Size: 64 << 10, Goroutines: 1}, load.Sluice("pool")},
		{readCached, load.Fio},
	}
	results, err := arena(t, "worker").Compare(t.Context(), entries, Plan{Time: time.Millisecond, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{8 << 10, 64 << 10} {
		if n := len(results[i].Rounds); n != 2 || results[i].Rounds[0].Buffers != want {
			t.Errorf("%s has %d rounds, %+v; want 2 with buffers of %d bytes", entries[i], n, results[i].Rounds, want)
		}
	}
	if fio := results[2]; fio.Unsupported == "" || fio.Rounds != nil {
		t.Errorf("fio is not installed, and has %d rounds, unsupported %q", len(fio.Rounds), fio.Unsupported)
	}
}

func TestCompareReportsTheSideThatFails(t *testing.T) {
	a := arena(t, "worker")
	a.Path += "-that-is-not-there"
	_, err := a.Compare(t.Context(), Same(readCached, []load.Side{load.OSFile}), Plan{Time: time.Millisecond, Rounds: 1})
	if err == nil || !strings.HasPrefix(err.Error(), "read-cached/4k/2: os.File: open ") {
		t.Errorf("Compare = %v; want the cell, the side and the reason", err)
	}
}

// TestCompareNamesTheRound has a worker that fails in the second counting round.
func TestCompareNamesTheRound(t *testing.T) {
	_, err := arena(t, "failing-worker").Compare(t.Context(), Same(readCached, []load.Side{load.OSFile}), Plan{Time: time.Millisecond, Rounds: 3})
	if want := "round 2: read-cached/4k/2: os.File: worker process: exit status 1: the disk has left"; err == nil || err.Error() != want {
		t.Errorf("Compare = %v; want %q", err, want)
	}
}

func TestCompareReportsAWorkersLastWords(t *testing.T) {
	_, err := arena(t, "dying-worker").Compare(t.Context(), Same(readCached, []load.Side{load.OSFile}), Plan{Time: time.Millisecond, Rounds: 1})
	if err == nil || !strings.Contains(err.Error(), "panic: out of luck") || strings.Contains(err.Error(), "\n") {
		t.Errorf("Compare = %v; want one line with the panic in it", err)
	}
}

// TestCompareEndsWithItsContext starts slices that would take an hour.
func TestCompareEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(100*time.Millisecond, func() { cancel(enough) })
	results, err := arena(t, "worker").Compare(ctx, Same(readCached, []load.Side{load.OSFile, load.OSFile}), Plan{Time: time.Hour, Rounds: 1})
	if !errors.Is(err, enough) || results != nil {
		t.Errorf("Compare = %d results, %v; want none, and the cause of the end", len(results), err)
	}
}

func TestStretch(t *testing.T) {
	plan := Plan{Time: 100 * time.Millisecond}
	warm := func(ops float64, mean time.Duration) []*Result {
		return []*Result{{}, {warm: load.Slice{Ops: ops, Mean: mean}}}
	}
	for _, test := range []struct {
		name string
		warm []*Result
		want time.Duration
	}{
		{"fast operations", warm(1000, time.Millisecond), 100 * time.Millisecond},
		{"slow operations", warm(10, 50*time.Millisecond), 300 * time.Millisecond},
		{"very slow operations", warm(1, time.Minute), 500 * time.Millisecond},
		{"nothing known", warm(0, 0), 100 * time.Millisecond},
	} {
		if got := plan.stretch(test.warm); got != test.want {
			t.Errorf("%s: stretch = %s; want %s", test.name, got, test.want)
		}
	}
}
