package pebblevfs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// dbOptions returns Options of a database that flushes and compacts all the time, with hardly any
// cache. Every fourth value goes to a blob file.
func dbOptions(fs vfs.FS) *pebble.Options {
	o := &pebble.Options{
		FS:                          fs,
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                256 << 10,
		L0CompactionThreshold:       2,
		LBaseMaxBytes:               512 << 10,
		CacheSize:                   64 << 10,
		BytesPerSync:                64 << 10,
		WALBytesPerSync:             64 << 10,
		MemTableStopWritesThreshold: 8,
		Logger:                      quiet{},
	}
	o.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{Enabled: true, MinimumSize: 1000, MaxBlobReferenceDepth: 5, TargetGarbageRatio: 0.3}
	}
	return o
}

// quiet is a Logger that only prints errors that end the process.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func openDB(t testing.TB, dir string, o *pebble.Options) *pebble.DB {
	t.Helper()
	db, err := pebble.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() { // the database may be open, and keep its file system busy
			defer func() { _ = recover() }()
			_ = db.Close()
		}
	})
	return db
}

// keys is the number of keys in a test database. A key's value contains its version.
const keys = 2000

func key(i int) []byte { return fmt.Appendf(nil, "key %06d", i) }

// value returns the value of version v of a key. Every byte can be checked.
func value(i int, v uint64) []byte {
	n := 300
	if i%4 == 0 {
		n = 2000
	}
	b := make([]byte, n)
	binary.LittleEndian.PutUint64(b, v)
	r := rand.NewPCG(uint64(i), v)
	for at := 8; at+8 <= n; at += 8 {
		binary.LittleEndian.PutUint64(b[at:], r.Uint64())
	}
	return b
}

// versionOf returns the version of a key from its value, or an error if the value is wrong.
func versionOf(i int, b []byte) (uint64, error) {
	if len(b) < 8 {
		return 0, fmt.Errorf("key %d has a value of %d bytes", i, len(b))
	}
	v := binary.LittleEndian.Uint64(b)
	if !bytes.Equal(b, value(i, v)) {
		return 0, fmt.Errorf("key %d has bytes that are not of version %d", i, v)
	}
	return v, nil
}

func get(r pebble.Reader, i int) (uint64, error) {
	b, closer, err := r.Get(key(i))
	if err != nil {
		return 0, fmt.Errorf("key %d: %w", i, err)
	}
	defer closer.Close()
	return versionOf(i, b)
}

// writer writes random keys. Its versions only grow.
type writer struct {
	db   *pebble.DB
	r    *rand.Rand
	done [keys]atomic.Uint64 // the last committed version of each key
}

// batch commits n keys.
func (w *writer) batch(n int, o *pebble.WriteOptions) error {
	b := w.db.NewBatch()
	defer b.Close()
	chosen := make(map[int]uint64)
	for range n {
		i := w.r.IntN(keys)
		chosen[i] = w.done[i].Load() + 1
		if err := b.Set(key(i), value(i, chosen[i]), nil); err != nil {
			return err
		}
	}
	if err := b.Commit(o); err != nil {
		return err
	}
	for i, v := range chosen {
		w.done[i].Store(v)
	}
	return nil
}

// fill writes each key once, and flushes.
func (w *writer) fill(t testing.TB) {
	t.Helper()
	for i := range keys {
		if err := w.db.Set(key(i), value(i, 1), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		w.done[i].Store(1)
	}
	if err := w.db.Flush(); err != nil {
		t.Fatal(err)
	}
}

// check requires the last version of each key, by Get and in a scan in both directions.
func (w *writer) check(t testing.TB, r pebble.Reader) {
	t.Helper()
	for i := range keys {
		if v, err := get(r, i); err != nil || v != w.done[i].Load() {
			t.Fatalf("key %d has version %d, %v; want %d", i, v, err, w.done[i].Load())
		}
	}
	it, err := r.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for _, down := range []bool{false, true} {
		i, step, ok := 0, 1, it.First()
		if down {
			i, step, ok = keys-1, -1, it.Last()
		}
		n := 0
		for ; ok; i += step {
			b, err := it.ValueAndErr()
			if err != nil {
				t.Fatal(err)
			}
			if v, err := versionOf(i, b); err != nil || v != w.done[i].Load() || !bytes.Equal(it.Key(), key(i)) {
				t.Fatalf("the iterator is at %q with version %d, %v; want key %d, version %d", it.Key(), v, err, i, w.done[i].Load())
			}
			n++
			if down {
				ok = it.Prev()
			} else {
				ok = it.Next()
			}
		}
		if err := it.Error(); err != nil || n != keys {
			t.Fatalf("the iterator has %d keys, %v; want %d", n, err, keys)
		}
	}
}

// TestDB writes to a database with concurrent readers, which flushes and compacts all the time. A
// read must return a version that is no older than the last one committed when it began.
func TestDB(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, s *sluice.Scheduler, background *sluice.Class) {
		hang.Watch(t)
		dir := t.TempDir()
		r := seed.Rand(t)
		w := &writer{r: r}
		w.db = openDB(t, dir, dbOptions(fs))
		w.fill(t)

		beside(t, w, r)
		w.check(t, w.db)
		if m := w.db.Metrics(); m.Compact.Count == 0 || m.Flush.Count < 3 {
			t.Errorf("%d compactions and %d flushes; want many", m.Compact.Count, m.Flush.Count)
		}
		checkpoint(t, w, fs)
		ingest(t, w, fs, t.TempDir())
		ingest(t, w, fs, testenv.MemoryDir(t))
		if err := w.db.Compact(t.Context(), key(0), key(keys), true); err != nil {
			t.Fatal(err)
		}
		w.check(t, w.db)
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}

		// Each FS can open the other's database.
		for _, other := range []vfs.FS{vfs.Default, fs} {
			w.db = openDB(t, dir, dbOptions(other))
			w.check(t, w.db)
			if err := w.batch(50, pebble.Sync); err != nil {
				t.Fatal(err)
			}
			if err := w.db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if st := background.Stats(); st.Operations == 0 || st.Bytes == 0 {
			t.Errorf("the background's class has %d operations, %d bytes; want some", st.Operations, st.Bytes)
		}
		if st := s.Stats(); (st.BuffersPeak > 0) != !isBuffered(t) {
			t.Errorf("streams have taken %d bytes; want some unless buffered", st.BuffersPeak)
		}
	})
}

// beside writes with concurrent readers.
func beside(t *testing.T, w *writer, r *rand.Rand) {
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		mine := rand.New(rand.NewPCG(r.Uint64(), 0))
		readers.Go(func() {
			for !stop.Load() {
				if err := readSome(w, mine); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 400 {
		o := pebble.NoSync
		if i%20 == 0 {
			o = pebble.Sync
		}
		if err := w.batch(20, o); err != nil {
			t.Error(err)
			break
		}
	}
	if err := w.db.Flush(); err != nil {
		t.Error(err)
	}
	if err := w.db.Compact(t.Context(), key(0), key(keys), true); err != nil {
		t.Error(err)
	}
	stop.Store(true)
	readers.Wait()
}

// readSome reads keys one by one, or a part of a snapshot.
func readSome(w *writer, r *rand.Rand) error {
	if r.IntN(10) > 0 {
		i := r.IntN(keys)
		least := w.done[i].Load()
		if v, err := get(w.db, i); err != nil || v < least {
			return fmt.Errorf("key %d has version %d, %w; want %d or later", i, v, err, least)
		}
		return nil
	}
	first := r.IntN(keys)
	var least [keys]uint64
	for i := range least {
		least[i] = w.done[i].Load()
	}
	it, err := w.db.NewIter(&pebble.IterOptions{LowerBound: key(first)})
	if err != nil {
		return err
	}
	i := first
	for ok := it.First(); ok && i < first+500; ok = it.Next() {
		b, err := it.ValueAndErr()
		if err == nil {
			var v uint64
			if v, err = versionOf(i, b); err == nil && v < least[i] {
				err = fmt.Errorf("key %d has version %d in an iterator; want %d or later", i, v, least[i])
			}
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
		i++
	}
	return it.Close()
}

// checkpoint makes a checkpoint, and checks it.
func checkpoint(t *testing.T, w *writer, fs vfs.FS) {
	dir := filepath.Join(t.TempDir(), "checkpoint")
	if err := w.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		t.Fatal(err)
	}
	db := openDB(t, dir, dbOptions(fs))
	w.check(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// ingest ingests a table that was made in dir. Pebble copies it if dir is on another file system.
func ingest(t *testing.T, w *writer, fs vfs.FS, dir string) {
	name := filepath.Join(dir, "ingested.sst")
	f := create(t, fs, name, "ingest")
	table := sstable.NewWriter(objstorageprovider.NewFileWritable(f), sstable.WriterOptions{TableFormat: w.db.FormatMajorVersion().MaxTableFormat()})
	for i := range keys {
		v := w.done[i].Load() + 1
		if err := table.Set(key(i), value(i, v)); err != nil {
			t.Fatal(err)
		}
		w.done[i].Store(v)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.db.Ingest(t.Context(), []string{name}); err != nil {
		t.Fatal(err)
	}
	w.check(t, w.db)
}
