package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// testSize is the size of the file that tests work on: 4 MiB.
const testSize = 4 << 20

func testFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, bytes.Repeat([]byte("sluice. "), testSize/8), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWindowShare(t *testing.T) {
	w := window{open: 100, close: 200}
	for _, test := range []struct {
		begin, end time.Duration
		want       float64
	}{
		{110, 120, 1}, {100, 200, 1}, {90, 110, 0.5}, {175, 275, 0.25}, {0, 400, 0.25}, {200, 300, 0}, {150, 151, 1},
	} {
		if got := w.share(test.begin, test.end); got != test.want {
			t.Errorf("share(%d, %d) = %v; want %v", test.begin, test.end, got, test.want)
		}
	}
}

func TestBuffers(t *testing.T) {
	for _, n := range []int{1, 1000, 4096, 1 << 20} {
		bufs := buffers(3, n)
		for i, b := range bufs {
			if addr := uintptr(unsafe.Pointer(&b[0])); len(b) != n || cap(b) != n || addr%bufferAlign != 0 {
				t.Errorf("buffers(3, %d)[%d]: len %d, cap %d, address %#x", n, i, len(b), cap(b), addr)
			}
		}
		bufs[0][n-1], bufs[1][0] = 1, 2
		if bufs[0][n-1] != 1 {
			t.Errorf("buffers(3, %d) overlap", n)
		}
	}
}

func TestLoadString(t *testing.T) {
	for _, test := range []struct {
		load Load
		want string
	}{
		{Load{Kind: ReadCold, Size: 4 << 10, Goroutines: 16}, "read-cold/4k/16"},
		{Load{Kind: WriteSync, Size: 1 << 20, Goroutines: 1}, "write-sync/1m/1"},
		{Load{Kind: ReadCached, Size: 1000, Goroutines: 2}, "read-cached/1000/2"},
		{Load{Kind: WriteSyncBusy, Size: 4 << 10, Goroutines: 8}, "write-sync+busy/4k/8"},
		{Load{Kind: ReadDirect2us, Size: 4 << 10, Goroutines: 64, Procs: 4}, "read-direct+2us/4k/64/p4"},
	} {
		if got := test.load.String(); got != test.want {
			t.Errorf("String = %q; want %q", got, test.want)
		}
	}
}

// TestLogs checks that the worker's own files are gone after it is closed.
func TestLogs(t *testing.T) {
	path := testFile(t)
	for _, kind := range []Kind{WriteAppend, WriteLogs, SyncOwn} {
		for _, side := range []Side{OSFile, Sluice(""), Sluice("pool")} {
			t.Run(string(kind)+"/"+side.Name, func(t *testing.T) {
				testWorker(t, Setup{Path: path, Side: side, Load: Load{Kind: kind, Size: 1 << 10, Goroutines: 3}})
				if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
					t.Errorf("%d files are there, %v; want the one under test", len(left), err)
				}
				if info, err := os.Stat(path); err != nil || info.Size() != testSize {
					t.Errorf("the file under test has changed: %v, %v", info, err)
				}
			})
		}
	}
}

// TestLogsOfClients checks that a client appends to the common log or to its own log.
func TestLogsOfClients(t *testing.T) {
	const clients = 3
	for kind, want := range map[Kind]string{WriteAppend: "[6]", WriteLogs: "[1 2 3]"} {
		path := testFile(t)
		var files []*os.File
		open := func(name string, flag int) (ownFile, error) {
			f, err := os.OpenFile(name, flag, 0o600)
			files = append(files, f)
			return f, err
		}
		s := Setup{Path: path, Side: OSFile, Load: Load{Kind: kind, Size: 1, Goroutines: clients}}
		w, err := openOwnBy(&target{close: func() error { return nil }}, open, s)
		if err != nil {
			t.Fatal(err)
		}
		for client := range clients {
			do := w.operation(s.Load, client)
			for range client + 1 {
				if err := do([]byte("x"), 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		var sizes []int64
		for _, f := range files {
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, info.Size())
		}
		if got := fmt.Sprint(sizes); got != want {
			t.Errorf("%s: the logs have %s bytes; want %s", kind, got, want)
		}
		if err := w.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWorkers runs each kind of the matrix through each side that this machine has.
func TestWorkers(t *testing.T) {
	path, sink := testFile(t), drain(t)
	for _, kind := range Kinds {
		for _, side := range []Side{OSFile, Sluice(""), Sluice("pool"), PaperAIO} {
			t.Run(string(kind)+"/"+side.Name, func(t *testing.T) {
				testWorker(t, Setup{Path: path, Sink: sink, Pace: 10, Side: side, Load: Load{Kind: kind, Size: 4 << 10, Goroutines: 3}})
				if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
					t.Errorf("%d files are there, %v; want the one under test", len(left), err)
				}
			})
		}
	}
}

// drain reads from all connections to the address that it returns.
func drain(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			all.Go(func() { _, _ = io.Copy(io.Discard, c); _ = c.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return l.Addr().String()
}

// TestServed checks that each client sends the whole file each time.
func TestServed(t *testing.T) {
	path := testFile(t)
	for _, side := range []Side{OSFile, Sluice("")} {
		t.Run(side.Name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			s := Setup{Path: path, Side: side, Sink: l.Addr().String(), Load: Load{Kind: ServeFile, Size: 70_000, Goroutines: 1}}
			w, err := openTarget(s)
			if err != nil {
				t.Fatal(err)
			}
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 2 {
				if err := w.operation(s.Load, 0)(nil, 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.close(); err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, c); err != nil || n != 2*70_000 {
				t.Errorf("%d bytes have come, %v; want the file twice", n, err)
			}
		})
	}
}

// TestServedNowhere has a sink on which nothing listens.
func TestServedNowhere(t *testing.T) {
	path := testFile(t)
	setup := Setup{Path: path, Side: OSFile, Sink: "127.0.0.1:1", Load: Load{Kind: ServeFile, Size: 4096, Goroutines: 2}}
	if got := serve(t, Request{Setup: &setup})[0].Error; !strings.Contains(got, "connection refused") {
		t.Errorf("error is %q; want that nobody listens", got)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%d files are there, %v; want the one under test", len(left), err)
	}
}

// TestWork checks the properties that follow from a kind's name. It also checks that the units of
// work follow from the kind and the pace.
func TestWork(t *testing.T) {
	for kind, want := range map[Kind]int{ReadDirect: 0, ReadDirect2us: 2, ReadCold6us: 6, WriteSync: 0} {
		if got := kind.Work(); got != want {
			t.Errorf("%s has %d us of work; want %d", kind, got, want)
		}
	}
	if !ReadDirect2us.Direct() || ReadDirect2us.Cold() || !ReadCold6us.Cold() || ReadCold6us.hot() || ReadDirect6us.Write() {
		t.Error("with work, a kind is of another nature than without")
	}
	w, err := NewWorker(Setup{Path: testFile(t), Side: OSFile, Pace: 7, Load: Load{Kind: ReadCold6us, Size: 4096, Goroutines: 2}})
	if lacks := new(unsupportedError); errors.As(err, &lacks) {
		skip.For(t, skip.Disk, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := w.clients[1]
	if c.work != 42 {
		t.Errorf("a client does %d units of work; want 6 times the pace of 7", c.work)
	}
	offs := 3
	c.reset(func() (int64, bool) { offs--; return 0, offs >= 0 })
	c.run(w.target.operation(w.load, 1), &window{start: time.Now(), close: time.Hour})
	if want := compute(compute(compute(0, 42), 42), 42); c.err != nil || c.sum != want {
		t.Errorf("after 3 operations the work has come to %#x, %v; want %#x", c.sum, c.err, want)
	}
	if Pace() < 1 {
		t.Errorf("Pace = %d; want at least 1", Pace())
	}
}

// TestOtherWorkers runs the kinds and sides of the other experiments.
func TestOtherWorkers(t *testing.T) {
	path := testFile(t)
	for _, test := range []struct {
		kind Kind
		side Side
	}{
		{ScanCold, OSFile},
		{ScanCold, Sluice("")},
		{ScanDirect, OSFile},
		{ReadDirect, Side{Name: "buffer", Way: ByBuffer}},
		{ReadDirect, Side{Name: "many", Way: ByMany}},
		{ScanDirect, Side{Name: "reader", Way: ByReader}},
		{ScanDirect, Side{Name: "next", Way: ByNext}},
		{ReadHot, OSFile},
		{ReadHot, Side{Name: "cache", Way: ByCache, Budget: 4 << 20}},
		{ReadSkewed, Side{Name: "buffer", Way: ByBuffer}},
		{ReadSkewed, Side{Name: "cache", Way: ByCache, Budget: 2 << 20}},
		{ReadHot, Side{Name: "mmap", Way: ByMmap}},
		{ReadCold, Side{Name: "mmap", Way: ByMmap}},
		{ReadHot, Side{Name: "mapped", Way: ByMapped}},
		{ReadCold, Side{Name: "mapped", Way: ByMapped}},
	} {
		t.Run(string(test.kind)+"/"+test.side.Name, func(t *testing.T) {
			testWorker(t, Setup{Path: path, Side: test.side, Load: Load{Kind: test.kind, Size: 4 << 10, Goroutines: 2, Within: testSize / 2}})
		})
	}
}

// TestSleeper checks that a sleeper beside a load is measured if the load asks for one.
func TestSleeper(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		w, err := NewWorker(Setup{Path: testFile(t), Side: OSFile, Load: Load{Kind: ReadCached, Size: 4096, Goroutines: 2, Sleeper: wanted}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.Run(SliceReq{Lead: time.Millisecond, Time: 100 * time.Millisecond, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if (s.LateMax > 0) != wanted || s.LateP50 > s.LateMax {
			t.Errorf("Sleeper %v: late %v (median), %v at most", wanted, s.LateP50, s.LateMax)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// skipUnsupported skips a test for the reason in Reply.Unsupported.
func skipUnsupported(t *testing.T, why string) {
	t.Helper()
	for text, reason := range map[string]skip.Reason{
		"driver uring":      skip.Uring,
		"driver aio":        skip.AIO,
		"io_setup":          skip.AIO,
		"O_DIRECT":          skip.Direct,
		"page cache":        skip.Disk,
		"on this system":    skip.Platform,
		"cannot be removed": skip.Platform,
	} {
		if strings.Contains(why, text) {
			skip.For(t, reason, why)
		}
	}
	t.Fatalf("unsupported, for an unknown reason: %s", why)
}

func testWorker(t *testing.T, setup Setup) {
	replies := serve(t,
		Request{Setup: &setup},
		Request{Slice: &SliceReq{Lead: time.Millisecond, Time: 20 * time.Millisecond, Seed: 1}})
	for _, r := range replies {
		if r.Unsupported != "" {
			skipUnsupported(t, r.Unsupported)
		}
		if r.Error != "" {
			t.Fatal(r.Error)
		}
	}
	s := replies[1].Slice
	// The number of operations depends on the machine, but these relations do not.
	if s.Ops < 0 || s.Elapsed > 20*time.Millisecond || s.P50 > s.P99 || s.P99 > s.Max {
		t.Errorf("slice is %+v", *s)
	}
	if mapped := setup.Side.Way == ByMmap || setup.Side.Way == ByMapped; (s.Buffers <= 0) != mapped {
		t.Errorf("slice has had %d bytes of buffers", s.Buffers)
	}
	if setup.Side.Way == BySluice && (replies[0].Explain == "" || replies[1].Explain == "" || replies[1].Stats == nil) {
		t.Errorf("sluice has explained %q and %q and counted %s", replies[0].Explain, replies[1].Explain, replies[1].Stats)
	}
	if info, err := os.Stat(setup.Path); err != nil || info.Size() != testSize {
		t.Errorf("file is %v long after the slice, %v; want %d", info.Size(), err, testSize)
	}
}

// serve runs a worker on the requests and returns its replies.
func serve(t *testing.T, requests ...Request) []Reply {
	t.Helper()
	var in, out bytes.Buffer
	for _, r := range requests {
		if err := json.NewEncoder(&in).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := Serve(&in, &out); err != nil {
		t.Fatal(err)
	}
	var replies []Reply
	for dec := json.NewDecoder(&out); dec.More(); {
		var r Reply
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	if len(replies) != len(requests) {
		t.Fatalf("%d replies to %d requests", len(replies), len(requests))
	}
	return replies
}

func TestServeRefuses(t *testing.T) {
	path := testFile(t)
	setup := func(l Load) *Setup { return &Setup{Path: path, Side: OSFile, Load: l} }
	for _, test := range []struct {
		name    string
		request Request
		want    string
	}{
		{"slice first", Request{Slice: &SliceReq{}}, "out of turn"},
		{"nothing", Request{}, "out of turn"},
		{"kind", Request{Setup: setup(Load{Kind: "read-twice", Size: 4096, Goroutines: 1})}, "read-twice"},
		{"size", Request{Setup: setup(Load{Kind: ReadCached, Size: 0, Goroutines: 1})}, "0 bytes"},
		{"too large", Request{Setup: setup(Load{Kind: ReadCached, Size: 2 * testSize, Goroutines: 1})}, "smaller than one operation"},
		{"goroutines", Request{Setup: setup(Load{Kind: ReadCached, Size: 4096, Goroutines: 0})}, "0 goroutines"},
		{"processors", Request{Setup: setup(Load{Kind: ReadCached, Size: 4096, Goroutines: 1, Procs: -1})}, "GOMAXPROCS is -1"},
		{"unaligned", Request{Setup: setup(Load{Kind: ReadDirect, Size: 1000, Goroutines: 1})}, "multiple of 4096"},
		{"no file", Request{Setup: &Setup{Path: path + "x", Side: OSFile, Load: Load{Kind: ReadCached, Size: 4096, Goroutines: 1}}}, "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := serve(t, test.request)[0].Error; !strings.Contains(got, test.want) {
				t.Errorf("error is %q; want something with %q", got, test.want)
			}
		})
	}
}

func TestUnknownDriverIsUnsupported(t *testing.T) {
	setup := Setup{Path: testFile(t), Side: Sluice("floppy"), Load: Load{Kind: ReadCached, Size: 4096, Goroutines: 1}}
	if got := serve(t, Request{Setup: &setup})[0].Unsupported; !strings.Contains(got, "floppy") {
		t.Errorf("unsupported is %q; want the driver's name in it", got)
	}
}

// TestShortReadIsAnError truncates the file during a slice.
func TestShortReadIsAnError(t *testing.T) {
	path := testFile(t)
	w, err := NewWorker(Setup{Path: path, Side: OSFile, Load: Load{Kind: ReadCached, Size: 4096, Goroutines: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(SliceReq{Time: time.Hour}); err == nil || !strings.Contains(err.Error(), "read 0 of 4096 bytes") {
		t.Errorf("Run = %v; want a short read", err)
	}
}

// TestWindowNeverOpened has a client that runs out of blocks before the window opens, and a second
// client that opens the window afterwards.
func TestWindowNeverOpened(t *testing.T) {
	w := &window{}
	w.closed()
	w.cpuClose-- // earlier than cpuOpen even if the clock did not advance
	w.opened()
	if got := w.cpu(); got != 0 {
		t.Errorf("cpu = %v; want 0", got)
	}
}
