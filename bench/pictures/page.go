package pictures

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/results"
)

//go:embed page.html
var pageText string

// pageTemplate is parsed when a page is written, and not at every start of the command.
var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New(index).Parse(pageText)) })

// page returns the text of index.html.
func page(run *results.Run, all []Figure) ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate().Execute(&b, struct {
		Marker  template.HTML
		Run     *results.Run
		Results string
		Machine [][2]string
		Figures []Figure
	}{marker, run, resultsName, machineRows(run), all})
	return b.Bytes(), err
}

// machineRows describes the machine and the run. It leaves out what is unknown.
func machineRows(run *results.Run) [][2]string {
	m := run.Machine
	rows := [][2]string{
		{"Finished", run.Finished.Format("2006-01-02 15:04 MST")},
		{"sluice", run.Version},
		{"Go", m.Go},
		{"System", strings.TrimSpace(m.OS + "/" + m.Arch)},
		{"Kernel", m.Kernel},
		{"CPU", m.CPU},
		{"Cores", fmt.Sprintf("%d, GOMAXPROCS %d", m.Cores, m.GoMaxProcs)},
		{"Memory", bytesText(m.Memory)},
		{"File system", m.FileSystem},
		{"Mount options", strings.ReplaceAll(m.Mount, ",", ", ")},
		{"Device", deviceText(run)},
		{"I/O scheduler", m.Device.Scheduler},
		{"--driver", run.Driver},
		{"Drivers and tools", strings.Join(explains(run), "; ")},
		{"Test file", bytesText(run.FileSize)},
	}
	return slices.DeleteFunc(rows, func(r [2]string) bool { return r[1] == "" || r[1] == missing })
}

func deviceText(run *results.Run) string {
	d := run.Machine.Device
	text := d.Name
	if d.Model != "" {
		text += " (" + d.Model + ")"
	}
	if d.Rotational {
		text += ", rotating"
	}
	return text
}

// explains returns the lines with which sluice and fio describe themselves, each once.
func explains(run *results.Run) []string {
	var lines []string
	for _, named := range run.Results {
		for _, p := range named.Points() {
			line, _, _ := strings.Cut(p.Explain, "\n")
			if p.Side.Way == load.ByTunedFio { // the same program as ByFio
				continue
			}
			if p.Side.Way == load.ByFio {
				line, _, _ = strings.Cut(line, " ") // only its version; the rest differs from job to job
			}
			if line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
