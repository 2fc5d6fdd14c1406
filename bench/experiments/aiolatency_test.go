package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/blockdev"
	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// fakeDisk completes writes in batches of 25, and every 100th call that queues a write blocks.
type fakeDisk struct {
	about   blockdev.About
	missing map[string]string // why an engine is missing, by the name of sluice's driver

	now    string // the current scheduler
	bursts int
	fails  func() error // Burst calls it, unless it is nil
	closed bool
}

func newFakeDisk(missing map[string]string) *fakeDisk {
	return &fakeDisk{missing: missing, about: blockdev.About{
		Name: "loop7", What: "/dev/loop7, a loop device over a file in --dir", Size: 512,
		Schedulers: []string{"none", "mq-deadline", "kyber"}, Scheduler: "mq-deadline",
	}}
}

func (d *fakeDisk) About() blockdev.About { return d.about }

func (d *fakeDisk) SetScheduler(name string) error { d.now = name; return nil }

func (d *fakeDisk) Close() error {
	d.now, d.closed = d.about.Scheduler, true
	return nil
}

func (d *fakeDisk) Burst(_ context.Context, e burst.Engine, writes int) (*burst.Result, error) {
	d.bursts++
	if reason := d.missing["sluice/"+string(e)]; reason != "" {
		return nil, burst.Unsupported(errors.New(reason))
	}
	if d.fails != nil {
		if err := d.fails(); err != nil {
			return nil, err
		}
	}
	slow := time.Duration(1)
	if d.now == "kyber" {
		slow = 2
	}
	r := &burst.Result{}
	at := time.Duration(0)
	for i := range writes {
		r.Queued = append(r.Queued, at)
		call := 2 * time.Microsecond
		if i%100 == 99 && e == burst.AIO {
			call = 500 * time.Microsecond
		}
		r.Submit = append(r.Submit, call)
		at += call
	}
	for i := range writes {
		r.Notified = append(r.Notified, slow*time.Duration(i/25+1)*200*time.Microsecond+r.Queued[i-i%25])
		if i%25 == 0 {
			r.Batches = append(r.Batches, burst.Batch{Writes: 25, First: i})
		}
	}
	return r, nil
}

// diskLab is a lab with a fakeDisk.
type diskLab struct {
	fakeLab
	disk *fakeDisk
	err  error
}

func (l diskLab) Disk() (Disk, error) { return l.disk, l.err }

// TestGoldenAIOFile has a user without root, whose disk is a file.
func TestGoldenAIOFile(t *testing.T) {
	disk := newFakeDisk(nil)
	disk.about = blockdev.About{What: "a file in --dir", Size: 512, Note: "no loop device (open /dev/loop-control: permission denied)"}
	_, text, err := run(t, aioLatency, diskLab{disk: disk}, Params{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "aio-latency-file", text)
	if disk.bursts != 6 || disk.now != "" {
		t.Errorf("%d bursts with the scheduler %q; want 2 x 3 of a file, which has none", disk.bursts, disk.now)
	}
}

// TestAIOClosesTheDisk checks that the disk is closed after a burst fails, panics or is
// interrupted.
func TestAIOClosesTheDisk(t *testing.T) {
	broken, enough := errors.New("the disk has left"), errors.New("enough")
	for name, fail := range map[string]func(stop func()) error{
		"failure":   func(func()) error { return broken },
		"panic":     func(func()) error { panic(broken) },
		"interrupt": func(stop func()) error { stop(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			disk := newFakeDisk(nil)
			disk.fails = func() error {
				if disk.now == "none" { // the second scheduler
					return fail(func() { cancel(enough) })
				}
				return nil
			}
			var err error
			func() {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				var out bytes.Buffer
				_, err = aioLatency.Run(ctx, &Env{Lab: diskLab{disk: disk}, Screen: report.NewScreen(&out, nil, 0)})
			}()
			if !errors.Is(err, broken) && !errors.Is(err, enough) {
				t.Errorf("Run = %v; want what went wrong", err)
			}
			if !disk.closed || disk.now != "mq-deadline" {
				t.Errorf("closed is %v, the scheduler is %s; want it restored", disk.closed, disk.now)
			}
		})
	}
}

func TestAIONoDisk(t *testing.T) {
	_, _, err := run(t, aioLatency, diskLab{err: errors.New("no O_DIRECT on this file system")}, Params{})
	if err == nil || err.Error() != "aio-latency: no O_DIRECT on this file system" {
		t.Errorf("Run = %v; want the reason", err)
	}
}

// TestAIOVerdict checks each wording of the verdict.
func TestAIOVerdict(t *testing.T) {
	row := func(scheduler string, e burst.Engine, all, batch, longest, first stats.Number) AIORow {
		return AIORow{Scheduler: scheduler, Engine: e, AIOFigures: AIOFigures{All: all, Batch: batch, Half: 2 * batch, Submit: 1000, Longest: longest, First: first}}
	}
	for _, test := range []struct {
		name string
		rows []AIORow
		want []string
	}{
		{
			"as published",
			[]AIORow{row("none", burst.AIO, 10e6, 30, 900e3, 40e6), row("none", burst.Uring, 5e6, 28, 9e3, 1), row("bfq", burst.AIO, 11e6, 31, 80e3, 1)},
			[]string{
				"it holds in all 4 parts of the finding: batches: holds, the median batch has 30.0 writes (published: about 30; rule: 15 to 60), 31.0 with bfq; half of all writes come in batches of 60.0 and more",
				"hardly matters: holds, bfq takes 1.10 times the time of none (rule: at most 1.25)",
				"io_submit blocks: holds, the longest takes 900 us and the median 1.00 (rule: 20 times the median, and 100 us), with none",
				"the first write of a batch: holds, it takes 40.0 ms", "io_uring takes 0.50 times AIO's time, 28.0 writes complete together, its longest submit 9.00 us.",
			},
		},
		{
			"nothing of it",
			[]AIORow{row("none", burst.AIO, 10e6, 14.9, 99e3, 29e6), row("bfq", burst.AIO, 20e6, 30, 8e3, 40e6)},
			[]string{
				"it does not hold in any of 4 parts", "batches: does not hold", "hardly matters: does not hold, bfq takes 2.00",
				"io_submit blocks: does not hold", "the first write of a batch: does not hold",
			},
		},
		{"one scheduler", []AIORow{row("", burst.AIO, 10e6, 61, 9e6, 61e6)}, []string{"it holds in 1 of 3 parts", "undecided, as there is only one", "batches: does not hold"}},
		{"without AIO", []AIORow{{Engine: burst.AIO, Unsupported: "gone"}}, []string{"undecided without Linux AIO."}},
	} {
		got := aioVerdict(test.rows)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: verdict is %q; want %q in it", test.name, got, want)
			}
		}
	}
}

// TestAIOFigures checks that batches of 1, 1 and 7 writes have a median of 1, not a mean of 3.
func TestAIOFigures(t *testing.T) {
	r := &burst.Result{Batches: []burst.Batch{{Writes: 1, First: 0}, {Writes: 1, First: 1}, {Writes: 7, First: 4}}}
	for i := range 9 {
		r.Queued = append(r.Queued, time.Duration(i))
		r.Submit = append(r.Submit, time.Duration(1+i))
		r.Notified = append(r.Notified, time.Duration(100+10*i))
	}
	want := AIOFigures{All: 180, Batch: 1, Half: 7, Submit: 5, Longest: 9, First: 109, Latency: 136, Worst: 172}
	if got := figuresOf(r); got != want {
		t.Errorf("figuresOf = %+v; want %+v", got, want)
	}
}

// TestReadBack decodes what fig5 and aio-latency write to the JSON file, and checks that damage
// is an error.
func TestReadBack(t *testing.T) {
	for _, test := range []struct {
		Experiment
		from, to string // the damage
	}{
		{fig5, `"name":"io_submit"`, `"name":""`},
		{fig5, `"count":100,`, `"count":-100,`},
		{aioLatency, `"writes":1000,`, `"writes":999,`},
		{aioLatency, `"writes_per_batch":25,`, `"writes_per_batch":null,`},
		{aioLatency, `"rounds":[{`, `"rounds":[],"old":[{`},
	} {
		result, _, err := run(t, test.Experiment, fakeLab{}, Params{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		got, err := test.Read(text)
		if err != nil {
			t.Fatalf("%s: Read = %v", test.Name, err)
		}
		if again, err := json.Marshal(got); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s: Read gives another result than was written, %v", test.Name, err)
		}
		damaged := strings.ReplaceAll(string(text), test.from, test.to)
		if _, err := test.Read([]byte(damaged)); err == nil {
			t.Errorf("%s: Read with %s for %s = nil; want an error", test.Name, test.to, test.from)
		}
	}
}
