package experiments

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/internal/blockdev"
	"github.com/sluiceio/sluice/cmd/sluice/internal/burst"
	"github.com/sluiceio/sluice/cmd/sluice/internal/report"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
)

// fakeDisk completes 25 writes at a time, and every 100th call that queues one
// blocks.
type fakeDisk struct {
	about   blockdev.About
	missing map[string]string // why an engine is, by sluice's driver

	now    string // the scheduler
	bursts int
	fails  func() error // in Burst, if not nil
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

// diskLab has that disk.
type diskLab struct {
	fakeLab
	disk *fakeDisk
	err  error
}

func (l diskLab) Disk() (Disk, error) { return l.disk, l.err }

// TestGoldenAIOFile is a user who is not root.
func TestGoldenAIOFile(t *testing.T) {
	disk := newFakeDisk(nil)
	disk.about = blockdev.About{What: "a file in --dir", Size: 512, Note: "no loop device (open /dev/loop-control: permission denied)"}
	_, text, err := run(t, aioLatency, diskLab{disk: disk}, Params{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "aio-latency-file", text)
	if disk.bursts != 6 || disk.now != "" {
		t.Errorf("%d bursts with the scheduler %q; want 2 x 3 of a file, which has none", disk.bursts, disk.now)
	}
}

// TestAIOClosesTheDisk has a burst fail, panic, or be interrupted.
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

// TestAIOVerdict covers the words of the verdict.
func TestAIOVerdict(t *testing.T) {
	row := func(scheduler string, e burst.Engine, all, batch, longest stats.Number) AIORow {
		return AIORow{Scheduler: scheduler, Engine: e, All: all, Batch: batch, Submit: 1000, Longest: longest, First: 40e6}
	}
	for _, test := range []struct {
		rows []AIORow
		want []string
	}{
		{
			[]AIORow{row("none", burst.AIO, 10e6, 30, 90e3), row("none", burst.Uring, 5e6, 30, 9e3), row("bfq", burst.AIO, 11e6, 30, 80e3)},
			[]string{
				"in batches: it still holds, 30.0 writes", "it still holds that it hardly matters, bfq takes 1.10 times the time of none",
				"it still blocks, at most for 90.0 us where the median is 1.00", "takes 40000 us, still 30 ms and more", "io_uring takes 0.50 times AIO's time, its longest submit 9.00 us.",
			},
		},
		{
			[]AIORow{row("none", burst.AIO, 10e6, 1.2, 9e3), row("bfq", burst.AIO, 20e6, 30, 8e3)},
			[]string{"in batches: it does not hold", "the scheduler: it matters, bfq", "io_submit: it does not block"},
		},
		{[]AIORow{row("", burst.AIO, 10e6, 30, 9e3)}, []string{"cannot be told with one"}},
		{[]AIORow{{Engine: burst.AIO, Unsupported: "gone"}}, []string{"cannot be told without Linux AIO."}},
	} {
		got := aioVerdict(test.rows)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("verdict is %q; want %q in it", got, want)
			}
		}
	}
}
