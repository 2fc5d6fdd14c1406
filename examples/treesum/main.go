// Treesum prints the SHA-256 of each regular file of a tree, as sha256sum does.
//
//	treesum -files 256 -buffer 64 photos
//
// Package batch reads many small files in one call. Larger ones are streamed.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
)

// sumFiles prints the sums of some files, and returns how many could not be read.
func sumFiles(ctx context.Context, names []string, buffers [][]byte) (failed int, err error) {
	b := batch.New(nil)
	for i, name := range names {
		c := b.Chain() // each operation begins when the one before it has succeeded
		f := c.Open(name)
		c.ReadAt(f, buffers[i], 0).AllowShort()
		c.Close(f)
	}
	sums, errs := make([][]byte, len(names)), make([]error, len(names))
	for op, err := range b.Each(ctx) {
		if op == nil {
			return 0, err // nothing was begun
		}
		i := op.Index() / 3
		errs[i] = cmp.Or(errs[i], err) // the first of the chain
		if err == nil && op.Index()%3 == 1 {
			sums[i], errs[i] = sum(ctx, names[i], buffers[i], op.N())
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for i, name := range names {
		if err == nil && errs[i] == nil {
			_, err = fmt.Printf("%x  %s\n", sums[i], name)
		} else if errs[i] != nil {
			failed++
			fmt.Fprintln(os.Stderr, "treesum:", errs[i])
		}
	}
	return failed, err
}

// sum returns the sum of the file whose first n bytes are in buf.
func sum(ctx context.Context, name string, buf []byte, n int) ([]byte, error) {
	h := sha256.New()
	h.Write(buf[:n])
	if n < len(buf) {
		return h.Sum(nil), nil
	}
	f, err := direct.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := f.NewReader(ctx, direct.ReaderOptions{Start: int64(n)})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	_, err = io.Copy(h, r)
	return h.Sum(nil), err
}

func run(ctx context.Context, root string, buffers [][]byte) error {
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	failed := 0
	for some := range slices.Chunk(names, len(buffers)) {
		n, err := sumFiles(ctx, some, buffers)
		if failed += n; err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d files could not be read", failed)
	}
	return nil
}

func main() {
	files := flag.Int("files", 256, "how many files are read at a time")
	buffer := flag.Int("buffer", 64, "the size of the buffer of each, in `KiB`")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: treesum [flags] DIRECTORY"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 1 || min(*files, *buffer) < 1 || max(*files, *buffer) > 1<<14 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	buffers := slices.Collect(slices.Chunk(make([]byte, *files**buffer<<10), *buffer<<10))
	if err := run(ctx, flag.Arg(0), buffers); err != nil {
		fmt.Fprintln(os.Stderr, "treesum:", err)
		os.Exit(1)
	}
}
