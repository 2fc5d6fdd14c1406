package main

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// dropPages drops the files of a directory from the page cache.
func dropPages(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := dropFile(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func dropFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = os.NewSyscallError("fadvise "+name, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	return errors.Join(err, f.Close())
}
