// Indexread reads the records that an index names, many at a time, past the page cache.
//
//	indexread -create 100000 table     # makes table and table.index
//	indexread -every 10 table          # reads each tenth record, and checks it
//
// ReadMany keeps many requests in flight from one goroutine, and reads neighbours as one.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"os/signal"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

// Entry is where a record is, as it stands in the index.
type Entry struct {
	Off      int64
	Len, CRC uint32
}

// create makes a table of n records of different lengths, and its index.
func create(ctx context.Context, name string, n, size int) (err error) {
	f, err := direct.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := f.NewWriter(ctx, direct.WriterOptions{})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, w.Close()) }()
	var index bytes.Buffer
	off := int64(0)
	for i := range n {
		record := bytes.Repeat([]byte{byte(i)}, size/2+i%(size+1))
		if _, err := w.Write(record); err != nil {
			return err
		}
		binary.Write(&index, binary.BigEndian, Entry{off, uint32(len(record)), crc32.ChecksumIEEE(record)})
		off += int64(len(record))
	}
	return sluice.WriteFile(name+".index", index.Bytes(), 0o644)
}

// read reads each every-th record of the table.
func read(ctx context.Context, name string, every, depth int) error {
	b, err := sluice.ReadFile(name + ".index")
	if err != nil {
		return err
	}
	if len(b)%binary.Size(Entry{}) != 0 {
		return fmt.Errorf("%s.index has %d bytes, which is no whole number of entries: make it again", name, len(b))
	}
	index := make([]Entry, len(b)/binary.Size(Entry{}))
	if _, err := binary.Decode(b, binary.BigEndian, index); err != nil {
		return err
	}
	f, err := direct.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	ranges := func(yield func(direct.Range) bool) {
		for i := 0; i < len(index); i += every {
			if !yield(direct.Range{Off: index[i].Off, Len: int(index[i].Len)}) {
				return
			}
		}
	}
	i, records, total := 0, 0, 0
	for r, err := range f.ReadMany(ctx, ranges, direct.ReadManyOptions{Depth: depth}) {
		if err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		sum := crc32.ChecksumIEEE(r.Buffer.Bytes())
		total += len(r.Buffer.Bytes())
		r.Buffer.Release()
		if sum != index[i].CRC { // results come in the order of the ranges
			return fmt.Errorf("record %d, %d bytes at %d of %s: its checksum is wrong", i, r.Len, r.Off, name)
		}
		i, records = i+every, records+1
	}
	fmt.Printf("read %d records, %d bytes\n", records, total)
	return nil
}

func main() {
	n := flag.Int("create", 0, "how many `records` the new table gets; 0 reads one")
	size := flag.Int("size", 1000, "the average size of a new record, in `bytes`")
	every := flag.Int("every", 1, "read each record with a number that is a multiple of `n`")
	depth := flag.Int("depth", 64, "how many `requests` are in flight")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: indexread [flags] TABLE"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 1 || *n < 0 || *every < 1 || *size < 1 || *size > 1<<20 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *n > 0 {
		err = create(ctx, flag.Arg(0), *n, *size)
	} else {
		err = read(ctx, flag.Arg(0), *every, *depth)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "indexread:", err)
		os.Exit(1)
	}
}
