package experiments

import (
	"context"
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// wal is a write-ahead log: goroutines append records to a file and call Sync after each record,
// through os.File and through sluice. First all goroutines share one log, and sluice lets several
// Syncs share one fsync. Then each goroutine has its own log, as in a server with many databases:
// there is no fsync to share.
//
// The gain depends on the device's time for a flush.
var wal = Experiment{
	Name:    WAL,
	Summary: "append + Sync by 1 to 256 goroutines: one log, a log each",
	Precise: true,
	Steps:   func(Params) int { return len(walCells()) },
	Run:     runWAL,
	Read:    read[MatrixResult],
}

// WAL is the experiment's name. Package pictures adds an expectation to its figure.
const WAL = "wal"

// walRecord is the size of a record: a small transaction.
const walRecord = 1 << 10 // 1 KiB

// The target is that walMost goroutines on one log make at least walTarget times os.File's commits.
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
	result, err := env.measureCells(ctx, WAL, walCells())
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

// walVerdict returns whether the cell of one log and walMost goroutines reached the target.
func walVerdict(most Cell) string {
	if most.Ratios == nil {
		return ""
	}
	verdict := reached(most.Ratios.Rate >= walTarget)
	if most.few() {
		verdict = noVerdict(most.Rounds())
	}
	return report.Wrap(fmt.Sprintf("target: at least %g times os.File's commits by %d goroutines on one log: %s, %s",
		walTarget, most.Goroutines, verdict, report.Ratio(most.Ratios.Rate))) + "\n"
}
