package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/burst"
	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
)

// impatientLab is a fakeLab whose user interrupts the round after a given number of rounds. It
// counts later measurements.
type impatientLab struct {
	fakeLab
	ctx    context.Context
	cancel context.CancelCauseFunc
	rounds int

	late int
}

var errCtrlC = errors.New("interrupted")

// interrupt ends the context, as Ctrl-C does.
func (l *impatientLab) interrupt() error {
	if l.ctx.Err() != nil {
		l.late++
	}
	l.cancel(errCtrlC)
	return errCtrlC
}

func (l *impatientLab) Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	err := l.interrupt()
	if l.rounds == 0 {
		return nil, err
	}
	p.Rounds, p.Enough = l.rounds, nil
	results, _ := l.fakeLab.Compare(ctx, entries, p)
	return results, err
}

func (l *impatientLab) Mixed(ctx context.Context, job fio.Mixed) (reads, writes load.Slice, err error) {
	if l.rounds == 0 {
		return reads, writes, l.interrupt()
	}
	l.rounds--
	return l.fakeLab.Mixed(ctx, job)
}

func (l *impatientLab) Database(context.Context, load.Load, int64, string, func(string, float64)) (Database, error) {
	return fakeDatabase{l}, nil
}

func (l *impatientLab) Disk() (Disk, error) {
	d := newFakeDisk(nil)
	d.fails = func() error {
		if d.bursts > (l.rounds+1)*len(burst.Engines)+1 { // in the second engine of its round
			return l.interrupt()
		}
		return nil
	}
	return d, nil
}

func (l *impatientLab) Trees(_ context.Context, _ string, shape tree.Shape, _ func(string, float64)) (Trees, error) {
	return &impatientTrees{fakeTrees: newFakeTrees(shape, nil), lab: l, seen: map[string]int{}}, nil
}

// impatientTrees counts copies. A round ends when a program copies again.
type impatientTrees struct {
	*fakeTrees
	lab  *impatientLab
	seen map[string]int // copies, by program
}

func (p *impatientTrees) Copy(ctx context.Context, c copies.Contender, m copies.Mode, check bool) (program.Usage, error) {
	warm := 0
	if m.Name == regular.Name {
		warm = 1
	}
	if p.seen[c.Name] == p.lab.rounds+warm && len(p.seen) > 1 && p.all(p.lab.rounds+warm) {
		return program.Usage{}, p.lab.interrupt()
	}
	p.seen[c.Name]++
	return p.fakeTrees.Copy(ctx, c, m, check)
}

// all reports whether each program has copied n times, and one program once more.
func (p *impatientTrees) all(n int) bool {
	more := false
	for _, seen := range p.seen {
		if seen < n {
			return false
		}
		more = more || seen > n
	}
	return more
}

// TestInterruptedKeepsRounds interrupts each experiment in the third round of its first step. The
// first two rounds must be printed and returned. Nothing more may be measured.
func TestInterruptedKeepsRounds(t *testing.T) {
	for _, e := range All {
		if e.Name == threadsName { // a row is one run without rounds
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			result, text, err := interrupted(t, e, 2)
			stop, ok := errors.AsType[*InterruptedError](err)
			if !ok || !errors.Is(err, errCtrlC) || stop.Done != 2 || stop.Of != 5 {
				t.Fatalf("Run = %v; want an interruption after 2 of 5 rounds", err)
			}
			if want := "interrupted after 2 of 5 rounds of " + e.Name; !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error is %q; want a line that begins with %q", err, want)
			}
			if _, table, _ := strings.Cut(text, "\n---"); strings.Count(table, "\n") < 2 && strings.Count(text, "\n") < 5 {
				t.Errorf("no row is shown:\n%s", text)
			}
			file, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			read, err := e.Read(file)
			if err != nil {
				t.Fatalf("the result cannot be read: %v", err)
			}
			for _, p := range read.Points() {
				if len(p.Rounds) != 2 {
					t.Errorf("%s of %q has %d rounds; want 2", p.Side.Name, p.Cell, len(p.Rounds))
				}
			}
		})
	}
}

// TestInterruptedBefore interrupts each experiment in its first round.
func TestInterruptedBefore(t *testing.T) {
	for _, e := range All {
		if e.Name == threadsName {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			result, _, err := interrupted(t, e, 0)
			if want := "interrupted after 0 of 5 rounds of " + e.Name; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("Run = %v; want %q", err, want)
			}
			file, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Read(file); !errors.Is(err, ErrNothing) {
				t.Errorf("Read of what was measured = %v; want that it is nothing", err)
			}
		})
	}
}

// TestInterruptedText checks the error of a cell that gets as many rounds as it needs.
func TestInterruptedText(t *testing.T) {
	err := &InterruptedError{Step: "matrix read-cold/4k/1", Done: 3, Err: errCtrlC}
	if want := "interrupted after 3 rounds of matrix read-cold/4k/1"; err.Error() != want {
		t.Errorf("Error = %q; want %q", err, want)
	}
}

// interrupted runs an experiment whose user interrupts it after so many rounds.
func interrupted(t *testing.T, e Experiment, rounds int) (result any, text string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	lab := &impatientLab{ctx: ctx, cancel: cancel, rounds: rounds}
	var out bytes.Buffer
	env := &Env{Params: Params{Rounds: 5, FileSize: 1 << 30, Memory: 16 << 30, Procs: 2}, Lab: lab, Screen: report.NewScreen(&out, nil, 0)}
	result, err = env.Run(ctx, e)
	if lab.late > 0 {
		t.Errorf("%d more are measured after the interruption", lab.late)
	}
	return result, out.String(), err
}
