package pictures

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/results"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// pageTemplate is parsed when a page is written, not at every start of the command.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New(index).Funcs(template.FuncMap{"draw": Picture.html}).Parse(pageText))
})

// pageData has the data for the page's template.
type pageData struct {
	Marker           template.HTML
	Style            template.CSS
	Script           template.JS
	Run              *results.Run
	Results          string
	Verdict          string
	Keys             []key
	Heats            []heat
	Overview         *Picture
	OverviewFile     string
	Machine          string
	Facts            [][2]string
	Figures          []Figure
	HasVerdicts, One bool
}

// page returns the text of index.html.
func page(run *results.Run, all []Figure) ([]byte, error) {
	tables, cells := heats(run)
	data := pageData{
		Marker: marker, Style: template.CSS(pageStyle + chart.CSS()), Script: template.JS(pageScript), //nolint:gosec // they are ours
		Run: run, Results: resultsName, Verdict: sentence(cells), Keys: keys(cells), Heats: tables,
		OverviewFile: overviewName, Machine: run.Machine.String(), Facts: machineRows(run), Figures: all,
		HasVerdicts: len(cells) > 0, One: len(tables) == 1,
	}
	if p, ok := overview(run); ok {
		data.Overview = &p
	}
	var b bytes.Buffer
	err := pageTemplate().Execute(&b, data)
	return b.Bytes(), err
}

// machineRows describes the machine and the run, without unknown facts.
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
	switch {
	case d.IsVirtual():
		text += ", a virtual disk"
	case d.Rotational:
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
				line, _, _ = strings.Cut(line, " ") // only its version; the rest differs by job
			}
			if line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
