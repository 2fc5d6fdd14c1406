package faults

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice"
)

// TreeCopy copies a tree durably.
type TreeCopy struct {
	Do     func(ctx context.Context, s *sluice.Scheduler, dst, src string) error
	Fsyncs bool // calls fsync for each file, not only syncfs
}

// treeName is the name of the workload that copies trees.
const treeName = "tree"

// fsynced is the directory of the files that TreeCopy.Fsyncs closes after an fsync, which has
// reported each loss.
const fsynced = "fsynced"

// Tree is the workload of a package that copies trees: one tree in each of the ways.
func Tree(ways ...TreeCopy) Workload {
	return Workload{treeName, func(w *world) { w.tree(ways) }}
}

func (w *world) tree(ways []TreeCopy) {
	src := filepath.Join(w.dir, "tree")
	names := []string{"one", "two", filepath.Join("dir", "three")}
	w.outside(func() error {
		err := os.MkdirAll(filepath.Join(src, "dir"), 0o700)
		for i, name := range names {
			name = filepath.Join(src, name)
			err = errors.Join(err, os.WriteFile(name, w.want[i*100:][:10*page], 0o600), drop(name))
		}
		return err
	})
	for _, way := range ways {
		dst := filepath.Join(w.dir, "copy")
		if way.Fsyncs {
			dst = filepath.Join(w.dir, fsynced)
		}
		w.call("Copy of a tree", func() error {
			err := way.Do(context.Background(), w.s, dst, src)
			for i, name := range names {
				var got []byte
				w.outside(func() error {
					got, _ = os.ReadFile(filepath.Join(dst, name))
					return nil
				})
				if err == nil && !bytes.Equal(got, w.want[i*100:][:10*page]) {
					w.wrong("Copy of a tree = nil, and %s has %d other bytes", name, len(got))
				}
			}
			return err
		})
	}
}
