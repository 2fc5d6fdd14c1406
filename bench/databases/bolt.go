package main

import (
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// boltBucket is the bucket with all records.
var boltBucket = []byte("records")

func boltKey(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

func fillBolt(dir string, records int) error {
	db, err := bbolt.Open(filepath.Join(dir, "db"), 0o666, &bbolt.Options{NoSync: true})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < records; {
		err := db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(boltBucket)
			for end := min(records, i+10_000); i < end && err == nil; i++ {
				err = b.Put(boltKey(i), value(random))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return db.Close()
}

// bolt is a database of bbolt for reading.
type bolt struct {
	*bbolt.DB
	records int
}

func openBolt(dir string, s load.Setup) (database, error) {
	db, err := bbolt.Open(filepath.Join(dir, "db"), 0o666, &bbolt.Options{ReadOnly: true})
	return &bolt{db, s.Load.Records}, err
}

func (b *bolt) do(_ int, random *rand.Rand) error {
	return b.View(func(tx *bbolt.Tx) error {
		v := tx.Bucket(boltBucket).Get(boltKey(random.IntN(b.records)))
		return wantValue(append([]byte(nil), v...), nil)
	})
}
