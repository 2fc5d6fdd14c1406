//go:build amd64 || arm64

package sched

import (
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// privateFile returns the File of a descriptor with a private position.
func privateFile(file *os.File) *File {
	f := iopath.NewFile(int(file.Fd()), false, false)
	f.Private = true
	return f
}

// cachedReads returns the offsets of the reads that the page cache served while do ran.
func cachedReads(t *testing.T, s *Scheduler, do func()) (offsets []int64) {
	t.Helper()
	ops, _ := recorded(t, s, do)
	for _, o := range ops {
		if o.Path == record.PathCached {
			offsets = append(offsets, o.Off)
		}
	}
	return offsets
}

// wantPosition fails the test unless the position of f is pos.
func wantPosition(t *testing.T, f *File, pos int64) {
	t.Helper()
	if got, _ := sys.Tell(f.FD); got != pos {
		t.Errorf("the position is %d; want %d", got, pos)
	}
}

// TestPrivateReadLooksAtThePosition: a Read from memory is one call at the position. After
// SharePosition it is made at an offset, which an lseek(2) has reserved.
func TestPrivateReadLooksAtThePosition(t *testing.T) {
	file := recordFile(t, 3)
	f := privateFile(file)
	s := newOn(script.New(8), queueAll)
	defer s.Close()
	s.paths.FindsEnd = true
	b := make([]byte, 4096) // the first page of a record is in memory
	for i, want := range []int64{iopath.AtPosition, iopath.AtPosition, 2 * recordSize} {
		if i == 2 {
			f.SharePosition()
		}
		if _, err := file.Seek(int64(i)*recordSize, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got := cachedReads(t, s, func() {
			if n, err := s.Read(f, b); n != len(b) || err != nil || whichRecord(t, b) != byte(i) {
				t.Errorf("Read = %d, %v, of record %d; want record %d", n, err, b[0], i)
			}
		})
		if !slices.Equal(got, []int64{want}) {
			t.Errorf("record %d was found at offsets %d; want %d", i, got, want)
		}
		wantPosition(t, f, int64(i)*recordSize+int64(len(b)))
	}
	if n := s.Stats().Cached; n != 3 {
		t.Errorf("%d reads are counted as cached; want 3", n)
	}
}

// TestPrivateReadMisses: the driver reads what the page cache lacks: the second half of a record,
// or the whole record. SharePosition does not wait for the driver, and a reader that comes then
// gets other bytes.
func TestPrivateReadMisses(t *testing.T) {
	// The second half of a record is not in memory.
	for _, start := range []int64{0, recordSize / 2} {
		if !whereMissing(t, func() bool { return readPrivateMiss(t, start) }) {
			t.Logf("from %d: whenever the driver was to be asked, the rest was in memory", start)
		}
	}
}

// TestPrivateReadBesideAWriteAtTheEnd: a Read that reaches beyond the end waits for the driver, the
// position becomes shared, and another writes there. The write follows the bytes that the Read has,
// and leaves no hole.
func TestPrivateReadBesideAWriteAtTheEnd(t *testing.T) {
	if !whereMissing(t, func() bool { return readPrivateEnd(t) }) {
		t.Log("whenever the driver was to be asked, the end was in memory")
	}
}

// readPrivateEnd reports whether the driver was asked.
func readPrivateEnd(t *testing.T) (asked bool) {
	const left = 100
	file := recordFile(t, 1)
	f := privateFile(file)
	if _, err := file.Seek(recordSize-left, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	d := script.New(8)
	other(d, func() {
		f.SharePosition()
		if n := sys.Write(f.FD, []byte("theirs")); n != 6 {
			t.Errorf("the other writes %d bytes; want 6", n)
		}
	})
	s := newOn(d, queueAll)
	defer s.Close()
	if n, err := s.Read(f, make([]byte, recordSize)); n != left || err != nil {
		t.Errorf("Read = %d, %v; want %d", n, err, left)
	}
	if len(d.Seen) == 0 {
		return false
	}
	wantPosition(t, f, recordSize+6)
	b, err := os.ReadFile(file.Name())
	if err != nil || len(b) != recordSize+6 || string(b[recordSize:]) != "theirs" {
		t.Errorf("the file has %d bytes, %v; want %d, the last ones of the other", len(b), err, recordSize+6)
	}
	return true
}

// readPrivateMiss reads the first record of a file from start on, which another makes shared once
// the driver is asked. It reports whether the driver was asked: the kernel may have brought the
// bytes into memory before.
func readPrivateMiss(t *testing.T, start int64) (asked bool) {
	file := recordFile(t, 4)
	f := privateFile(file)
	if !isHalved(file) {
		skip.For(t, skip.Chance, "nothing is partly in memory here")
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	d := script.New(8)
	theirs, ours := make([]byte, recordSize), make([]byte, recordSize-start)
	other(d, func() {
		f.SharePosition()
		if n := sys.Read(f.FD, theirs); n != recordSize {
			t.Errorf("the other reads %d", n)
		}
	})
	s := newOn(d, queueAll)
	defer s.Close()
	if n, err := s.Read(f, ours); n != len(ours) || err != nil || whichRecord(t, ours) != 0 {
		t.Errorf("Read = %d, %v, of record %d; want %d, of record 0", n, err, ours[0], len(ours))
	}
	if len(d.Seen) == 0 {
		wantPosition(t, f, recordSize)
		return false
	}
	if got := whichRecord(t, theirs); got != 1 || len(d.Seen) != 1 {
		t.Errorf("the other has record %d, and the driver was asked %d times; want 1 and 1", got, len(d.Seen))
	}
	wantPosition(t, f, 2*recordSize)
	if n := f.Misses().Load(); start > 0 && n != 1 {
		t.Errorf("%d looks have found nothing; want 1", n)
	}
	return true
}

// TestPrivateReadTakesAllAtOnce: where the driver does not read in parts, a Read is one read, as a
// ReadAt is (TestReadAtTakesAllAtOnce).
func TestPrivateReadTakesAllAtOnce(t *testing.T) {
	if !whereMissing(t, func() bool { return privateReadOfAPart(t) }) {
		t.Log("Read found all in memory each time")
	}
}

// privateReadOfAPart makes a Read of a record that is in memory in part. It returns false if the
// Read has found all of it.
func privateReadOfAPart(t *testing.T) bool {
	file := recordFile(t, 2)
	f := privateFile(file)
	if !isHalved(file) {
		skip.For(t, skip.Chance, "nothing is partly in memory here")
	}
	s, calls := overwriting(t)
	defer s.Close()
	b := make([]byte, recordSize)
	if n, err := s.Read(f, b); n != len(b) || err != nil {
		t.Errorf("Read = %d, %v", n, err)
	}
	wantPosition(t, f, recordSize)
	return readOverwritten(t, "Read", b, *calls)
}

// TestPrivateReadAtTheEnd: the position stays at the end of the file, whether the kernel says where
// that is or not.
func TestPrivateReadAtTheEnd(t *testing.T) {
	for _, knows := range []bool{false, true} {
		if knows && !sys.CachedKnowsEnd() {
			continue // Linux before 6.0
		}
		file := recordFile(t, 1)
		b := make([]byte, recordSize+100)
		if _, err := file.ReadAt(b[:recordSize], 0); err != nil { // all is in memory
			t.Fatal(err)
		}
		f, d := privateFile(file), script.New(8)
		other(d, nil)
		s := newOn(d, queueAll)
		s.paths.FindsEnd = knows
		if n, err := s.Read(f, b); n != recordSize || err != nil {
			t.Errorf("Read = %d, %v; want %d", n, err, recordSize)
		}
		wantPosition(t, f, recordSize)
		if n, err := s.Read(f, b); n != 0 || err != io.EOF {
			t.Errorf("Read at the end = %d, %v; want io.EOF", n, err)
		}
		wantPosition(t, f, recordSize)
		if n := len(d.Seen); (n == 0) != knows {
			t.Errorf("if a look that finds nothing knows the end is %t, the driver was asked %d times", knows, n)
		}
		s.Close()
	}
}

// TestPositionBecomesShared: while one goroutine reads a File with a private position, another gets
// the descriptor, and reads too. Each record is read once, and whole.
func TestPositionBecomesShared(t *testing.T) {
	const records = 128
	r := rand.New(rand.NewPCG(seed.Of(t), 0))
	file := recordFile(t, records)
	for range 20 {
		halve(t, file)
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		d := script.New(8)
		other(d, nil)
		s := newOn(d, queueAll)
		s.paths.FindsEnd = true
		seen := shareInTheMiddle(t, s, privateFile(file), r.Int64N(records))
		for i := range records {
			if n := seen[i].Load(); n != 1 {
				t.Errorf("record %d was read %d times", i, n)
			}
		}
		s.Close()
	}
}

// shareInTheMiddle reads f to its end, and from after that many Reads also past s. It returns how
// often each record was read.
func shareInTheMiddle(t *testing.T, s *Scheduler, f *File, after int64) *[256]atomic.Int64 {
	var seen [256]atomic.Int64
	var reads atomic.Int64
	var group sync.WaitGroup
	readAll := func(read func(b []byte) int) {
		b := make([]byte, recordSize)
		for n := recordSize; n == recordSize; {
			reads.Add(1)
			if n = read(b); n == recordSize {
				seen[b[0]].Add(1)
			}
			if n != 0 && (n != recordSize || b[0] != b[n/2] || b[0] != b[n-1]) {
				t.Errorf("a read gives %d bytes, of records %d to %d", n, b[0], b[n-1])
			}
		}
	}
	group.Go(func() {
		readAll(func(b []byte) int {
			n, _ := s.Read(f, b)
			return n
		})
	})
	for reads.Load() < after && !t.Failed() {
		runtime.Gosched()
	}
	f.SharePosition()
	readAll(func(b []byte) int { return int(sys.Read(f.FD, b)) })
	group.Wait()
	return &seen
}

// isHalved reports whether the page cache has a part of the last record of file. The look may have
// the kernel read the rest, so that record is of no use afterwards.
func isHalved(file *os.File) bool {
	end, _ := file.Seek(0, io.SeekEnd)
	_, err := file.Seek(0, io.SeekStart)
	n := sys.ReadCached(int(file.Fd()), make([]byte, recordSize), end-recordSize)
	return err == nil && n > 0 && n < recordSize
}
