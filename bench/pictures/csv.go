package pictures

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/results"
)

var csvHead = []string{
	"experiment", "cell", "kind", "size_bytes", "in_flight", "side", "round",
	"ops_per_s", "mean_ns", "p50_ns", "p99_ns", "max_ns", "cpu_ns_per_op", "unsupported",
}

// table returns a CSV file.
func table(head []string, lines [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(head) // a Buffer accepts everything; w.Error returns errors of csv
	_ = w.WriteAll(lines)
	return b.Bytes(), w.Error()
}

// rounds returns a CSV file with a line for each round of the experiments.
func rounds(measured []results.Named) ([]byte, error) {
	var lines [][]string
	for _, named := range measured {
		for _, p := range named.Points() {
			what := slices.Clip([]string{
				named.Name, p.Cell, string(p.Load.Kind), strconv.Itoa(p.Load.Size),
				strconv.Itoa(p.Load.Goroutines), p.Side.Name,
			})
			for i, s := range p.Rounds {
				lines = append(lines, append(what, round(i, s)...))
			}
			if p.Unsupported != "" {
				lines = append(lines, append(what, "", "", "", "", "", "", "", p.Unsupported))
			}
		}
	}
	return table(csvHead, lines)
}

func round(i int, s load.Slice) []string {
	fields := []string{strconv.Itoa(i + 1), strconv.FormatFloat(s.Rate(), 'f', 1, 64)}
	for _, d := range []int64{int64(s.Mean), int64(s.P50), int64(s.P99), int64(s.Max), int64(s.CPUPerOp())} {
		fields = append(fields, strconv.FormatInt(d, 10))
	}
	return append(fields, "")
}
