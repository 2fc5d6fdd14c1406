package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// rows are the results of programs by their names.
type rows map[string]*outcome

// readRows reads the results that a file has. There are none without a file.
func readRows(name string) (rows, error) {
	text, err := os.ReadFile(name)
	if name == "" || errors.Is(err, os.ErrNotExist) {
		return rows{}, nil
	}
	if err != nil {
		return nil, err
	}
	var r rows
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for name, o := range r {
		chosen, err := choose([]string{name})
		if err != nil { // the program is no longer one of them
			delete(r, name)
			continue
		}
		o.program = chosen[0]
	}
	return r, nil
}

// write writes the results into a file, if it has a name.
func (r rows) write(name string) error {
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// list returns the results in the order of programs.
func (r rows) list() (list []*outcome) {
	for _, p := range programs {
		if o, ok := r[p.name]; ok {
			list = append(list, o)
		}
	}
	return list
}
