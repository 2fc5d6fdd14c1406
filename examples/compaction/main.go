// Compaction copies the live records of a table to a new one, while other goroutines read single
// records of it. It is in a class of little weight, so that point reads find the disk ready.
//
//	compaction -weight 10 -limit 200000000 /data
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

const size, dead = 128, 1 // bytes of a record; the first byte of one that was deleted

// compact copies the live records, and returns when they are on the disk.
func compact(ctx context.Context, to, from *direct.File) error {
	r, err := from.NewReader(ctx, direct.ReaderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := to.NewWriter(ctx, direct.WriterOptions{})
	if err != nil {
		return err
	}
	record := make([]byte, size)
	for err == nil {
		if _, err = io.ReadFull(r, record); err == nil && record[0] != dead {
			_, err = w.Write(record)
		}
	}
	if errors.Is(err, io.EOF) { // of r, between two records
		err = w.Sync()
	}
	return cmp.Or(err, w.Close())
}

// read reads records at random until the compaction has ended: at least one.
func read(ctx context.Context, f *direct.File, n int, ended <-chan error) (reads int, longest time.Duration, err error) {
	record := make([]byte, size)
	for reads == 0 || len(ended) == 0 {
		start := time.Now()
		if _, err := f.ReadAtContext(ctx, record, rand.Int64N(int64(n))*size); err != nil {
			return reads, longest, err
		}
		reads, longest = reads+1, max(longest, time.Since(start))
	}
	return reads, longest, nil
}

func run(ctx context.Context, dir string, n int, o sluice.ClassOptions) error {
	dir, err := os.MkdirTemp(dir, "compaction")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		return err
	}
	defer s.Close() // closes its files, too
	background, err := s.Class("compaction", o)
	if err != nil {
		return err
	}
	var tables [2]*direct.File
	for i := range tables {
		name := fmt.Sprintf("%s/table%d", dir, i)
		if tables[i], err = direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	data := make([]byte, n*size)
	for i := 1; i < n; i += 2 {
		data[i*size] = dead
	}
	if _, err := tables[0].WriteAt(data, 0); err != nil {
		return err
	}
	compacted := make(chan error, 1)
	go func() { compacted <- compact(sluice.WithClass(ctx, background), tables[1], tables[0]) }()
	reads, longest, err := read(ctx, tables[0], n, compacted)
	if err := cmp.Or(<-compacted, err); err != nil {
		return err
	}
	live, err := tables[1].Size()
	fmt.Printf("compacted %d records to %d, after %v in the queue\n", n, live/size, background.Stats().Waited)
	fmt.Printf("%d point reads meanwhile, the longest of %v\n", reads, longest)
	return err
}

func main() {
	n := flag.Int("records", 200_000, fmt.Sprintf("how many `records`, of %d bytes each, the table has", size))
	var o sluice.ClassOptions
	flag.IntVar(&o.Weight, "weight", 10, "the compaction's `share`; that of the point reads is 100")
	flag.Int64Var(&o.BytesPerSecond, "limit", 0, "the most `bytes` a second for it; 0 is no limit")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: compaction [flags] DIRECTORY"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 1 || *n < 1 || *n > 1<<23 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), *n, o); err != nil {
		fmt.Fprintln(os.Stderr, "compaction:", err)
		os.Exit(1)
	}
}
