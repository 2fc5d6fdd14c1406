package main

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// levelDB is an open goleveldb for reading.
type levelDB struct {
	*leveldb.DB
	records int
}

// levelOptions returns the defaults without compression, with a Bloom filter, and with all files
// open.
func levelOptions() *opt.Options {
	return &opt.Options{Compression: opt.NoCompression, Filter: filter.NewBloomFilter(10), OpenFilesCacheCapacity: 4000}
}

func levelKey(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

func fillLevelDB(dir string, records int) error {
	db, err := leveldb.OpenFile(dir, levelOptions())
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	var b leveldb.Batch
	for i := range records {
		b.Put(levelKey(i), value(random))
		if b.Len() == 1000 || i == records-1 {
			if err := db.Write(&b, nil); err != nil {
				return err
			}
			b.Reset()
		}
	}
	if err := db.CompactRange(util.Range{}); err != nil {
		return err
	}
	return db.Close()
}

func openLevelDB(dir string, s load.Setup) (database, error) {
	o := levelOptions()
	o.ReadOnly = true
	db, err := leveldb.OpenFile(dir, o)
	return &levelDB{db, s.Load.Records}, err
}

func (d *levelDB) do(_ int, random *rand.Rand) error {
	return wantValue(d.Get(levelKey(random.IntN(d.records)), nil))
}
