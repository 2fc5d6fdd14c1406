package pictures

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sluiceio/sluice/bench/results"
)

// resultsName is the whole run, as --json writes it.
const resultsName = "results.json"

// Write writes the report on a run, and removes what an older report in the
// directory had beside.
func (d *Dir) Write(run *results.Run) error {
	if err := d.write(run); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// file is one of the report's.
type file struct {
	name string
	text []byte
}

// write puts the page first, by which a report that was cut short is known for
// one. The manifest has old and new files until all is in place, so that none
// is ever left that no manifest names.
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
	for _, f := range figures {
		own, err := f.files(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		files = append(files, own...)
	}
	return files, nil
}

// files are the figure's: two a picture, and what they were drawn from.
func (f Figure) files(run *results.Run) ([]file, error) {
	var files []file
	add := func(name string, text []byte, err error) error {
		files = append(files, file{name, text})
		return err
	}
	for _, p := range f.Pictures {
		svg, err := p.Chart.SVG()
		if err := add(p.Name+".svg", svg, err); err != nil {
			return nil, err
		}
		png, err := p.Chart.PNG()
		if err := add(p.Name+".png", png, err); err != nil {
			return nil, err
		}
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
