// Command victoriamerge merges the parts of a storage of VictoriaMetrics:
//
//	victoriamerge link FROM TO  makes a second storage with the same files
//	victoriamerge merge DIR     merges all parts of each partition
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/VictoriaMetrics/VictoriaMetrics/lib/storage"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "victoriamerge:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "link":
		return link(args[1], args[2])
	case len(args) == 2 && args[0] == "merge":
		return merge(args[1])
	}
	return fmt.Errorf("%q; want link FROM TO, or merge DIR", args)
}

// copied is the size up to which link copies a file. VictoriaMetrics never writes into a file of a
// part again, but does into small files.
const copied = 64 << 10 // 64 KiB

// link makes hard links of all files but small ones.
func link(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		made := filepath.Join(to, rel)
		if entry.IsDir() {
			return os.Mkdir(made, 0o777)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Size() > copied {
			return os.Link(name, made)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(made, b, 0o666)
	})
}

// merge merges the parts.
func merge(dir string) error {
	const retention = 10 * 365 * 24 * time.Hour // no sample is older
	if err := flag.CommandLine.Parse([]string{"-loggerLevel=ERROR"}); err != nil {
		return err
	}
	s := storage.MustOpenStorage(dir, storage.OpenOptions{Retention: retention})
	defer s.MustClose()
	return s.ForceMergePartitions("")
}
