package main

import (
	"os"
	"path/filepath"
)

// linkDatabase makes a copy of the database in dir. It hard-links tables, which Pebble never
// changes, and copies all else.
func linkDatabase(from, dir string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())
		switch {
		case filepath.Ext(src) == ".sst":
			err = os.Link(src, dst)
		case e.Name() == "LOCK":
			continue
		default:
			err = copyFile(src, dst)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(src, dst string) error {
	text, err := os.ReadFile(src)
	if err != nil {
		return err
	}
	return os.WriteFile(dst, text, 0o600)
}
