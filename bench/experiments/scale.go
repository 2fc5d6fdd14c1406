package experiments

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/report"
)

// scale is a selection of cells for machines that this project does not have: 1, 2 and 4 times
// GOMAXPROCS goroutines, and 64 and 256 if these are more. Its user sends the JSON file
// (docs/scale.md). It ends within ten minutes on any machine, and names the cells that it left out.
//
// read-tmpfs reads a file on tmpfs with O_DIRECT. This device never waits, so the cell shows the
// speed that sluice itself allows.
var scale = Experiment{
	Name:    scaleName,
	Summary: "a report of this machine: 1 to 4 goroutines a processor",
	Precise: true,
	Disk:    true,
	Cells:   Params.allScaleCells,
	Steps:   func(p Params) int { return len(p.scaleCells()) },
	Run:     runScale,
	Read:    read[MatrixResult],
}

const scaleName = "scale"

var scaleKinds = []load.Kind{load.ReadDirect, load.ReadCold, load.ReadCached, load.WriteBuffered, load.SyncOwn, load.ReadTmpfs}

const scaleSize = 4 << 10 // 4 KiB

// scaleFile is the size of the file on tmpfs.
const scaleFile = 64 << 20 // 64 MiB

// scaleGoroutines returns the numbers of goroutines.
func (p Params) scaleGoroutines() []int {
	numbers := []int{p.Procs, 2 * p.Procs, 4 * p.Procs}
	for _, n := range []int{64, 256} {
		if n > 4*p.Procs {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func (p Params) allScaleCells() []load.Load {
	var cells []load.Load
	for _, kind := range scaleKinds {
		for _, n := range p.scaleGoroutines() {
			cells = append(cells, load.Load{Kind: kind, Size: scaleSize, Goroutines: n})
		}
	}
	return cells
}

// scaleCells returns the cells that --cells chooses. Without --cells it returns all.
func (p Params) scaleCells() []load.Load { return p.matching(p.allScaleCells()) }

func runScale(ctx context.Context, env *Env) (_ any, err error) {
	own, cells := env.Params, env.scaleCells()
	env.Params = own.withScaleTimes(len(cells))
	defer func() { env.Params = own }()
	places := &scalePlaces{env: env}
	defer func() { err = errors.Join(err, places.close()) }() // after a panic too
	if err := env.Screen.Print(own.scaleIntro()); err != nil {
		return &MatrixResult{}, err
	}
	return env.measureCellsOn(ctx, scaleName, cells, own.bounded(len(cells), places.of))
}

// scaleIntro returns the lines above the table.
func (p Params) scaleIntro() string {
	numbers := make([]string, 0, len(p.scaleGoroutines()))
	for _, n := range p.scaleGoroutines() {
		numbers = append(numbers, strconv.Itoa(n))
	}
	last := len(numbers) - 1
	text := report.Wrap(fmt.Sprintf("GOMAXPROCS %d: %s and %s goroutines; read-tmpfs reads with O_DIRECT on tmpfs, a device that never waits",
		p.Procs, strings.Join(numbers[:last], ", "), numbers[last]))
	if !p.Kept {
		text += report.Wrap("the results are not kept: --json FILE keeps them, to send")
	}
	return text
}
