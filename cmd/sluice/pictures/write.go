package pictures

import (
	"encoding/json"
	"fmt"

	"github.com/sluiceio/sluice/cmd/sluice/results"
)

// resultsName is the whole run, as --json writes it.
const resultsName = "results.json"

// Write writes the report on a run. The page comes first: a report that was
// cut short is known for one.
func (d *Dir) Write(run *results.Run) error {
	if err := d.write(run); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func (d *Dir) write(run *results.Run) error {
	all := figures(run)
	html, err := page(run, all)
	if err != nil {
		return err
	}
	if err := d.put(index, html); err != nil {
		return err
	}
	if err := d.put(resultsName, run.Text); err != nil {
		return err
	}
	for _, f := range all {
		if err := d.writeFigure(run, f); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// writeFigure writes the four files of a figure.
func (d *Dir) writeFigure(run *results.Run, f Figure) error {
	raw := make(map[string]json.RawMessage)
	for _, named := range f.measured {
		raw[named.Name] = run.Raw[named.Name]
	}
	for _, file := range []struct {
		suffix string
		make   func() ([]byte, error)
	}{
		{".svg", f.Chart.SVG},
		{".png", f.Chart.PNG},
		{".csv", func() ([]byte, error) { return rounds(f.measured) }},
		{".json", func() ([]byte, error) { return json.MarshalIndent(raw, "", "  ") }},
	} {
		text, err := file.make()
		if err == nil {
			err = d.put(f.Name+file.suffix, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
