package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockMaps locks in memory this process's mappings of files with this base name.
func lockMaps(base string) error {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer maps.Close()
	found := false
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		if filepath.Base(lines.Text()) != base {
			continue
		}
		found = true
		var from, to uintptr
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); err != nil {
			return fmt.Errorf("/proc/self/maps: %q: %w", lines.Text(), err)
		}
		if _, _, errno := unix.Syscall(unix.SYS_MLOCK, from, to-from, 0); errno != 0 {
			return fmt.Errorf("keeping %d bytes of %s in memory (run as root, or raise ulimit -l): %w", to-from, base, errno)
		}
	}
	if !found {
		return fmt.Errorf("nothing is mapped of a file %s", base)
	}
	return lines.Err()
}

// fillMemory reads all files in directories with this base name. Their pages in the page cache fill
// the available memory.
func fillMemory(dir, base string) error {
	return filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Base(filepath.Dir(name)) != base {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(io.Discard, f)
		return err
	})
}
