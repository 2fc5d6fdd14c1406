// Synclog appends records to a log from many goroutines. Each record is on the disk when its
// Append returns. Appends that wait at the same time share an fsync.
//
//	synclog -records 100000 -goroutines 64 data.log
package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/sluiceio/sluice"
)

// A record has at most maxRecord bytes. Its length and its CRC-32, the header, stand before it.
const header, maxRecord = 8, 1 << 20

// Log is a file of records.
type Log struct {
	file *sluice.File
	mu   sync.Mutex // held while a record is written, not while it is synced
	end  int64
}

// Append returns when the record, of 1 to maxRecord bytes, is on the disk.
func (l *Log) Append(record []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(record)))
	b = append(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(record)), record...)
	l.mu.Lock() // records are written in order: what is synced has no gap before it
	_, err := l.file.WriteAt(b, l.end)
	if err == nil {
		l.end += int64(len(b)) // after an error the next record overwrites this one
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	// Goroutines share an fsync here. Once one has failed, all later ones fail, too.
	return l.file.Datasync()
}

// recover returns how many whole records there are, and cuts off what is behind them.
func (l *Log) recover() (records int, err error) {
	r := bufio.NewReader(l.file)
	for b := make([]byte, maxRecord); ; records++ {
		n, err := readRecord(r, b)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return records, l.file.Truncate(l.end)
		} else if err != nil {
			return records, err
		}
		l.end += header + int64(n)
	}
}

// readRecord reads a record into b. If there is no whole one, the error is io.EOF or
// io.ErrUnexpectedEOF.
func readRecord(r io.Reader, b []byte) (n int, err error) {
	_, err = io.ReadFull(r, b[:header])
	length, sum := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if err == nil && length > 0 && length <= maxRecord {
		if _, err = io.ReadFull(r, b[:length]); err == nil && crc32.ChecksumIEEE(b[:length]) == sum {
			return int(length), nil
		}
	}
	return 0, cmp.Or(err, io.EOF)
}

func run(name string, records, goroutines, size int) error {
	s, err := sluice.Default()
	if err != nil {
		return err
	}
	// A new file's name is safe when its directory was synced, too; see diskcopy.
	f, err := sluice.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close() // what can go wrong with a record, its Append has returned
	l := &Log{file: f}
	found, err := l.recover()
	if err != nil {
		return err
	}
	errs := make([]error, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := g; i < records && errs[g] == nil; i += goroutines {
				errs[g] = l.Append(make([]byte, size))
			}
		})
	}
	all.Wait()
	fmt.Printf("found %d records; %d Syncs shared the fsync of another\n", found, s.Stats().SharedSyncs)
	return cmp.Or(errs...)
}

func main() {
	records := flag.Int("records", 10000, "how many records are appended")
	goroutines := flag.Int("goroutines", 64, "how many goroutines append them")
	size := flag.Int("size", 100, fmt.Sprintf("`bytes` of a record, 1 to %d", maxRecord))
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: synclog [flags] FILE"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 1 || *records < 0 || *goroutines < 1 || *size < 1 || *size > maxRecord {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *records, *goroutines, *size); err != nil {
		fmt.Fprintln(os.Stderr, "synclog:", err)
		os.Exit(1)
	}
}
