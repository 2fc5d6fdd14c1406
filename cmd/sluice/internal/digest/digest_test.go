package digest

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sluiceio/sluice/trace"
)

// example returns a trace of a hundred queued reads that take 1 to 100 µs on the device,
// the last of which fails, a cached read, a write and a call.
func example() *trace.Trace {
	t := &trace.Trace{
		Meta: trace.Meta{
			Program: "prog\x1b[31m", Driver: "uring", OS: "linux", Arch: "amd64", Kernel: strings.Repeat("6.18 ", 20),
			Start: time.Unix(1e9, 0).UTC(), Lost: 3, LabelsEnd: 90 * time.Millisecond,
		},
		Files: []string{""},
	}
	for i := range 100 {
		at := time.Duration(i) * time.Millisecond
		done := at + 5*time.Microsecond + time.Duration(i+1)*time.Microsecond
		t.Ops = append(t.Ops, trace.Op{
			Kind: trace.KindRead, Path: trace.PathQueued, Size: 4096, Result: 4096, Batch: 2, Slot: int32(i % 4),
			Queued: at, Submitted: at + 5*time.Microsecond, Completed: done, Woken: done + 300,
		})
	}
	t.Ops[99].Result = -5
	t.Ops = append(t.Ops,
		trace.Op{Kind: trace.KindRead, Path: trace.PathCached, Result: 10, Queued: 1, Submitted: 1, Completed: 800, Woken: 800},
		trace.Op{Kind: trace.KindWrite, Path: trace.PathPlain, Result: 1 << 20, Queued: 5, Submitted: 5, Completed: 2e9, Woken: 2e9})
	t.Calls = []trace.Call{{Syscall: "io_uring_enter", Duration: 7000, Batch: 2, Result: -11}}
	return t
}

func TestOf(t *testing.T) {
	d := Of(example())
	if d.Read != 99*4096+10 || d.Written != 1<<20 || d.Most != 4 || d.Span != 2e9 || len(d.Ops) != 3 || len(d.Calls) != 3 {
		t.Fatalf("digest is %+v", d)
	}
	q := d.Ops[1]
	if q.Path != trace.PathQueued || q.Count != 100 || q.Failed != 1 || q.Bytes != 99*4096 {
		t.Errorf("queued reads are %+v", q)
	}
	us := time.Microsecond
	if want := (Quantiles{50 * us, 90 * us, 99 * us, 100 * us, 100 * us}); q.Device != want {
		t.Errorf("time in the device is %v; want %v", q.Device, want)
	}
	if q.Queue.P50 != 5*us || q.Queue.Max != 5*us || q.Wake.P999 != 300 || q.Batch.P50 != 2 {
		t.Errorf("queued reads are %+v", q)
	}
	// The costliest call is first. Calls that are operations are included.
	if d.Calls[0].Syscall != "pwrite64" || d.Calls[1].Syscall != "io_uring_enter" || d.Calls[1].Failed != 1 || d.Calls[2].Syscall != "preadv2" {
		t.Errorf("calls are %+v", d.Calls)
	}
	if d := Of(&trace.Trace{}); d.Span != 0 || len(d.Ops)+len(d.Calls) > 0 {
		t.Errorf("digest of nothing is %+v", d)
	}
}

// Each kind of trial has a row. A slow trial is no failure.
func TestTrials(t *testing.T) {
	tr := example()
	for i := range 3 {
		tr.Calls = append(tr.Calls, trace.Call{
			Syscall: "trial reads plain", Start: time.Second, Duration: 2 * time.Millisecond, Batch: int32(300 + i), Result: 20,
		})
	}
	if want, text := "trial reads plain       3  6.00ms  2.00ms  2.00ms  2.00ms    301    302\n", Print(tr); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// TestClasses checks that a trace of more than one class has a table of classes.
func TestClasses(t *testing.T) {
	tr := example()
	tr.Classes = []string{"default", "compactions of old tables"}
	for i := range 40 {
		tr.Ops[i].Class = 1
	}
	d := Of(tr)
	if len(d.Classes) != 2 || d.Classes[0].Count != 62 || d.Classes[1].Class != 1 || d.Classes[1].Count != 40 ||
		d.Classes[1].Bytes != 40*4096 || d.Classes[1].Queue.P50 != 5*time.Microsecond {
		t.Errorf("classes are %+v", d.Classes)
	}
	if want, text := "compactions of old…      40    160 KiB  queue    5.00µs", Print(tr); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	if d := Of(example()); len(d.Classes) > 0 {
		t.Errorf("classes are %+v of a trace that has one", d.Classes)
	}
}

func TestPrint(t *testing.T) {
	text := Print(example())
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 || strings.ContainsRune(line, 0x1b) {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
	for _, want := range []string{
		"prog\\x1b[31m; uring; linux/amd64",
		"2.00s of events after 2001-09-09 01:46:40 +0000\n",
		"102 operations, at most 4 at a time; 396 KiB read, 1 MiB written\n",
		"3 earlier events are lost",
		"labels are unknown after 90.0ms",
		"1 of read (queued) failed\n",
		"read       cached         1       10 B  device    799ns   799ns   799ns   799ns\n",
		"read       queued       100    396 KiB  queue    5.00µs  5.00µs  5.00µs  5.00µs\n" +
			"                                        device   50.0µs  90.0µs  99.0µs   100µs\n" +
			"                                        wake      300ns   300ns   300ns   300ns\n",
		"io_uring_enter          1  7.00µs  7.00µs  7.00µs  7.00µs      2      2       1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := Print(&trace.Trace{}); !strings.Contains(text, "0 operations") {
		t.Errorf("an empty trace is\n%s", text)
	}
}

func TestTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0ns", 999: "999ns", 1000: "1.00µs", 9994: "9.99µs", 9996: "10.0µs", 999_499: "999µs", 999_500: "1.00ms",
		999_499_999: "999ms", 999_500_000: "1.00s", 90 * time.Second: "90.0s", 9999 * time.Second: "9999s",
		100 * time.Hour: "100h", -5: "-5ns",
	} {
		if got := Time(d); got != want {
			t.Errorf("Time(%d) = %s; want %s", d, got, want)
		}
	}
}
