package experiments

import (
	"context"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// wal is a write-ahead log: goroutines append records to one file, each of which
// has to be durable before its goroutine goes on. Then each has a log of its own,
// as a server has with many databases: there is no fsync to share.
var wal = Experiment{
	Name:    WAL,
	Summary: "append + Sync by 1 to 256 goroutines: one log, a log each",
	Steps:   func(Params) int { return len(walCells()) },
	Run:     runWAL,
	Read:    read[MatrixResult],
}

// WAL is the name of the experiment, whose figure has an expectation of its own.
const WAL = "wal"

var walPlan = duel.Plan{Time: 100 * time.Millisecond, Rounds: 12}

// walRecord is the size of a record: that of a small transaction.
const walRecord = 1 << 10 // 1 KiB

// walTarget is how many times os.File's commits there are to be, by so many
// goroutines.
const (
	walTarget = 4.0
	walMost   = 256
)

func walCells() []load.Load {
	var cells []load.Load
	for _, n := range []int{1, 4, 16, 64, walMost} {
		cells = append(cells, load.Load{Kind: load.WriteAppend, Size: walRecord, Goroutines: n})
	}
	for _, n := range []int{4, 16, 64, walMost} {
		cells = append(cells, load.Load{Kind: load.WriteLogs, Size: walRecord, Goroutines: n})
	}
	return cells
}

func runWAL(ctx context.Context, env *Env) (any, error) {
	result, err := env.measureCells(ctx, WAL, walCells(), env.plan(walPlan))
	if err != nil {
		return result, err
	}
	for _, c := range result.Cells {
		if c.Kind == load.WriteAppend && c.Goroutines == walMost {
			err = env.Screen.Print(walVerdict(c))
		}
	}
	return result, err
}

// walVerdict returns whether the target is reached in the cell of one log and the most
// goroutines.
func walVerdict(most Cell) string {
	if most.Ratios == nil {
		return ""
	}
	verdict := reached(most.Ratios.Rate >= walTarget)
	if few(most.rounds()) {
		verdict = noVerdict(most.rounds())
	}
	return report.Wrap(fmt.Sprintf("to reach: at least %g times os.File's commits by %d goroutines on one log: %s, %s",
		walTarget, most.Goroutines, verdict, report.Ratio(most.Ratios.Rate))) + "\n"
}
