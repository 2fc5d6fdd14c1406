package pictures

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sluiceio/sluice/bench/results"
)

// resultsName is the file with the whole run's results, in the format of --json.
const resultsName = "results.json"

// Write writes the report of a run, and removes an older report's files that the new one lacks.
func (d *Dir) Write(run *results.Run) error {
	if err := d.write(run); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// file is a file of the report.
type file struct {
	name string
	text []byte
}

// write writes the page first, so that an interrupted report is recognized as one. Until all files
// are written, the manifest has the old and the new files: no file may be missing from it.
func (d *Dir) write(run *results.Run) error {
	files, err := draw(run)
	if err != nil {
		return err
	}
	old, err := d.manifest()
	if err != nil {
		return err
	}
	var entries []entry
	for _, f := range files {
		entries = append(entries, newEntry(f.name, f.text))
	}
	if err := d.put(files[0].name, files[0].text); err != nil {
		return err
	}
	if err := d.putManifest(slices.Concat(old, entries)); err != nil {
		return err
	}
	for _, f := range files[1:] {
		if err := d.put(f.name, f.text); err != nil {
			return err
		}
	}
	if err := d.removeStale(old, entries); err != nil {
		return err
	}
	return d.putManifest(entries)
}

// draw returns all files of a report, the page first.
func draw(run *results.Run) ([]file, error) {
	figures := figures(run)
	html, err := page(run, figures)
	if err != nil {
		return nil, err
	}
	files := []file{{index, html}, {resultsName, run.Text}}
	if p, ok := overview(run); ok {
		files = append(files, file{overviewName, p.Chart.SVG()})
	}
	for _, f := range figures {
		own, err := f.files(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		files = append(files, own...)
	}
	return files, nil
}

// files returns the files of the figure: one for each picture, the CSV files, and the JSON file.
func (f Figure) files(run *results.Run) ([]file, error) {
	var files []file
	add := func(name string, text []byte, err error) error {
		files = append(files, file{name, text})
		return err
	}
	for _, p := range f.Pictures {
		files = append(files, file{p.Name + ".svg", p.Chart.SVG()})
	}
	for _, data := range f.Data {
		text, err := data.text()
		if err := add(data.Name, text, err); err != nil {
			return nil, err
		}
	}
	raw := make(map[string]json.RawMessage)
	for _, named := range f.measured {
		raw[named.Name] = run.Raw[named.Name]
	}
	text, err := json.MarshalIndent(raw, "", "  ")
	return files, add(f.Name+".json", text, err)
}
