package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable/block"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// keySize and valueSize are the sizes of a record's key and value.
const (
	keySize   = 16
	valueSize = 1000
)

// database is an open database of records, numbered from 0.
type database struct {
	*pebble.DB
	cache   *pebble.Cache
	records uint64
}

// opening is the purpose of an opened database.
type opening int

const (
	readOnly opening = iota
	readWrite
	loading // without a log
)

// open opens a database with blocks of 4 KiB without compression, Bloom filters, and tables of 64
// MiB. All sides have the same options except for the FS, the block cache and, with a class, the
// read-ahead of scans.
func open(dir string, f *files, l load.Load, how opening) (*database, error) {
	o := &pebble.Options{
		FS: f.fs, FormatMajorVersion: pebble.FormatNewest, Logger: logger{},
		ReadOnly: how == readOnly, ErrorIfNotExists: how == readOnly, DisableWAL: how == loading,
		Cache:                       pebble.NewCache(f.cache * l.Cache),
		MemTableSize:                64 << 20, // 64 MiB
		MemTableStopWritesThreshold: 4,
		MaxOpenFiles:                4000,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       1000,
	}
	for i := range o.Levels {
		o.Levels[i].Compression = func() *block.CompressionProfile { return block.NoCompression }
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.TargetFileSizes[i] = 64 << 20 // 64 MiB
	}
	if f.class {
		// Users' scans stay out of the class and in the page cache, as package pebblevfs advises.
		ahead := objstorageprovider.NewReadaheadConfig()
		ahead.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
		o.Local.ReadaheadConfig = ahead
	}
	db, err := pebble.Open(dir, o)
	if err != nil {
		o.Cache.Unref()
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return &database{db, o.Cache, uint64(l.Records)}, nil
}

func (d *database) close() error {
	err := d.Close()
	d.cache.Unref()
	return err
}

// logger prints the errors after which Pebble cannot go on. The parent reports them.
type logger struct{}

func (logger) Infof(string, ...any)  {}
func (logger) Errorf(string, ...any) {} // the call that failed may also return the error

// Fatalf ends the process.
func (logger) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "pebble: "+format+"\n", args...)
	os.Exit(1)
}

// key returns the key of a record. Records with adjacent numbers are far apart in the database.
func key(record uint64) []byte {
	const odd = 0x9E3779B97F4A7C15
	b := make([]byte, keySize)
	binary.BigEndian.PutUint64(b, record*odd)
	binary.BigEndian.PutUint64(b[8:], record)
	return b
}

// get reads a record.
func (d *database) get(record uint64) error {
	v, closer, err := d.Get(key(record))
	if err != nil {
		return fmt.Errorf("reading record %d: %w", record, err)
	}
	if len(v) != valueSize {
		err = fmt.Errorf("record %d has %d bytes; want %d", record, len(v), valueSize)
	}
	if closing := closer.Close(); err == nil {
		err = closing
	}
	return err
}

// Before a slice of reads, warmReaders goroutines read one of every recordsForIndex records. That
// brings the blocks of the index into the block cache.
const (
	warmReaders     = 16
	recordsForIndex = 128
)

// warm reads records at random.
func (d *database) warm() error {
	var all sync.WaitGroup
	errs := make(chan error, warmReaders)
	each := max(1, d.records/recordsForIndex/warmReaders)
	for i := range uint64(warmReaders) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(i, 0))
			for range each {
				if err := d.get(random.Uint64N(d.records)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}
