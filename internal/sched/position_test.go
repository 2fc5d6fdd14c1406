package sched

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
)

const recordSize = 16 << 10 // of recordFile

// recordFile makes a file of records, each of a byte many times, that has only a part in the page
// cache, if that is possible.
func recordFile(t *testing.T, records int) *os.File {
	t.Helper()
	b := make([]byte, records*recordSize)
	for i := range b {
		b[i] = byte(i / recordSize)
	}
	// A look into the page cache finds nothing in memory.
	name := filepath.Join(places.Disk(t), "file")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	halve(t, f)
	return f
}

// whereMissing calls try until it returns true or the test has failed, and reports whether it
// returned true. Try is to return false if all that it was to read was in memory: the kernel's
// read-ahead may have brought it there.
func whereMissing(t *testing.T, try func() bool) bool {
	for range 20 {
		if try() {
			return true
		}
		if t.Failed() {
			break
		}
	}
	return false
}

// whichRecord returns the record that b is.
func whichRecord(t *testing.T, b []byte) byte {
	t.Helper()
	for i := range b {
		if b[i] != b[0] {
			t.Fatalf("a record is torn: %d bytes of record %d, then record %d", i, b[0], b[i])
		}
	}
	return b[0]
}

// other has somebody who shares the position of f do the same as an operation of the driver
// begins, once.
func other(d *script.Driver, do func()) {
	d.Rule = func(op *driver.Op) (int32, bool) {
		if do != nil {
			do()
			do = nil
		}
		return iopath.MakeCall(op.Code, int(op.FD), op.Buf, op.Off), true
	}
}

// TestReadIsOneAtAPosition: while a Read waits for the driver, somebody who shares the position
// reads. Each has a record.
func TestReadIsOneAtAPosition(t *testing.T) {
	reads := map[string]func(s *Scheduler, f *File, b []byte) (int, error){
		"Read": (*Scheduler).Read, "ReadCurrent": (*Scheduler).ReadCurrent,
	}
	for name, read := range reads {
		for _, direct := range []bool{false, true} { // as far as the scheduler knows
			file := recordFile(t, 8)
			fd := int(file.Fd())
			d := script.New(8)
			theirs, ours := make([]byte, recordSize), make([]byte, recordSize)
			other(d, func() {
				if n := sys.Read(fd, theirs); n != recordSize {
					t.Errorf("%s, direct %v: the other reads %d", name, direct, n)
				}
			})
			s := newOn(d, queueAll)
			f := foreignFile(fd, direct, false)
			if n, err := read(s, f, ours); n != recordSize || err != nil {
				t.Errorf("%s, direct %v: %d, %v", name, direct, n, err)
			}
			if len(d.Seen) == 0 {
				t.Logf("%s, direct %v: nothing was queued: all is in memory here", name, direct)
			} else if a, b := whichRecord(t, theirs), whichRecord(t, ours); a+b != 1 {
				t.Errorf("%s, direct %v: the other has record %d, and this one %d; want 0 and 1", name, direct, a, b)
			} else if pos, _ := sys.Tell(fd); pos != 2*recordSize {
				t.Errorf("%s, direct %v: the position is %d; want %d", name, direct, pos, 2*recordSize)
			}
			s.Close()
		}
	}
}

// TestReadAtTheEndIsOneAtAPosition: what was reserved beyond the end is given back.
func TestReadAtTheEndIsOneAtAPosition(t *testing.T) {
	file := recordFile(t, 1)
	fd := int(file.Fd())
	d := script.New(8)
	more := make([]byte, recordSize)
	other(d, func() {
		if n := sys.Read(fd, more); n != 0 {
			t.Errorf("the other reads %d beyond the end", n)
		}
	})
	s := newOn(d, queueAll)
	defer s.Close()
	f := foreignFile(fd, true, false)
	if n, err := s.ReadCurrent(f, make([]byte, recordSize+100)); n != recordSize || err != nil {
		t.Errorf("ReadCurrent = %d, %v; want %d", n, err, recordSize)
	}
	if n, err := s.Read(f, more); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v; want io.EOF", n, err)
	}
	if pos, _ := sys.Tell(fd); pos != recordSize {
		t.Errorf("the position is %d; want %d", pos, recordSize)
	}
}

// TestReadBesideAWriteAtTheEnd: while a Read that reaches beyond the end waits for the driver,
// somebody who shares the position writes. The write follows the bytes that the Read has, and
// leaves no hole.
func TestReadBesideAWriteAtTheEnd(t *testing.T) {
	for _, direct := range []bool{false, true} { // as far as the scheduler knows
		file := recordFile(t, 1)
		fd := int(file.Fd())
		const left = 100
		if _, err := file.Seek(recordSize-left, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		d := script.New(8)
		other(d, func() {
			if n := sys.Write(fd, []byte("theirs")); n != 6 {
				t.Errorf("direct %v: the other writes %d bytes; want 6", direct, n)
			}
		})
		s := newOn(d, queueAll)
		n, err := s.ReadCurrent(foreignFile(fd, direct, false), make([]byte, recordSize))
		if n != left || err != nil {
			t.Errorf("direct %v: ReadCurrent = %d, %v; want %d", direct, n, err, left)
		}
		s.Close()
		if len(d.Seen) == 0 {
			t.Logf("direct %v: nothing was queued: all is in memory here", direct)
			continue
		}
		b, err := os.ReadFile(file.Name())
		if err != nil || len(b) != recordSize+6 || string(b[recordSize:]) != "theirs" {
			t.Errorf("direct %v: the file has %d bytes, %v; want %d, the last ones of the other", direct, len(b), err, recordSize+6)
		}
		if pos, _ := sys.Tell(fd); pos != recordSize+6 {
			t.Errorf("direct %v: the position is %d; want %d", direct, pos, recordSize+6)
		}
	}
}

// TestReadAtTheEnd: a Read at the end of the file needs no permit. If the file becomes longer while
// the driver reads, the Read has the new bytes, unless somebody who shares the position has read
// them.
func TestReadAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		during string // what happens while the driver is asked
		want   string
	}{
		{"nothing happens", "", ""},
		{"the file grows", "grow", "more"},
		{"the file grows, and another reads", "grow and read", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			hang.Watch(t)
			file := recordFile(t, 1)
			fd := int(file.Fd())
			if _, err := file.Seek(0, io.SeekEnd); err != nil {
				t.Fatal(err)
			}
			d := script.New(8)
			other(d, func() {
				if c.during == "" {
					return
				}
				if n := sys.Pwrite(fd, []byte("more"), recordSize); n != 4 {
					t.Errorf("the other writes %d bytes; want 4", n)
				}
				if c.during == "grow and read" {
					if n := sys.Read(fd, make([]byte, 10)); n != 4 {
						t.Errorf("the other reads %d bytes; want 4", n)
					}
				}
			})
			s := newOn(d, Options{Threads: 1})
			defer s.Close()
			if !s.hold() {
				t.Fatal("there is no permit")
			}
			b := make([]byte, 10)
			n, err := s.ReadCurrent(foreignFile(fd, true, false), b)
			if string(b[:n]) != c.want || err != nil {
				t.Errorf("ReadCurrent = %q, %v; want %q", b[:n], err, c.want)
			}
			wantEnd := int64(recordSize)
			if c.during != "" {
				wantEnd += 4
			}
			if pos, _ := sys.Tell(fd); pos != wantEnd {
				t.Errorf("the position is %d; want %d", pos, wantEnd)
			}
		})
	}
}

// TestReadThatFailsBesideAnother: the bytes of a Read that came after one that fails are not read
// again. A Read that fails alone leaves the position where it was.
func TestReadThatFailsBesideAnother(t *testing.T) {
	for _, beside := range []bool{false, true} {
		file := recordFile(t, 4)
		fd := int(file.Fd())
		d := script.New(8)
		d.Rule = func(*driver.Op) (int32, bool) {
			if !beside {
				return -int32(syscall.EIO), true
			}
			if n := sys.Read(fd, make([]byte, recordSize)); n != recordSize {
				t.Errorf("the other reads %d; want %d", n, recordSize)
			}
			return -int32(syscall.EIO), true
		}
		s := newOn(d, queueAll)
		if n, err := s.ReadCurrent(foreignFile(fd, true, false), make([]byte, recordSize)); n != 0 || err != syscall.EIO {
			t.Errorf("beside another %t: ReadCurrent = %d, %v; want EIO", beside, n, err)
		}
		want := int64(0)
		if beside {
			want = 2 * recordSize
		}
		if pos, _ := sys.Tell(fd); pos != want {
			t.Errorf("beside another %t: the position is %d; want %d", beside, pos, want)
		}
		s.Close()
	}
}

// TestWriteIsOneAtAPosition: of two who write at one position neither overwrites the other.
func TestWriteIsOneAtAPosition(t *testing.T) {
	for _, res := range []int32{8, 3, -int32(syscall.ENOSPC)} {
		file := recordFile(t, 2)
		fd := int(file.Fd())
		d := script.New(8)
		other(d, func() { sys.Write(fd, []byte("theirs..")) })
		rule := d.Rule
		d.Rule = func(op *driver.Op) (int32, bool) {
			if n, ok := rule(op); res == 8 {
				return n, ok
			}
			return res, true
		}
		s := newOn(d, Options{Threads: 2})
		f := foreignFile(fd, true, false)
		n, err := s.WriteCurrent(f, []byte("ours...."))
		if n != max(0, int(res)) || (err != nil) != (res < 0) {
			t.Errorf("WriteCurrent = %d, %v; want %d", n, err, res)
		}
		b := make([]byte, 16)
		if _, err := file.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		if got := string(b[8:]); got != "theirs.." || res == 8 && string(b[:8]) != "ours...." {
			t.Errorf("where the kernel gives %d, the file has %q", res, b)
		}
		if pos, _ := sys.Tell(fd); pos != 16 {
			t.Errorf("where the kernel gives %d, the position is %d; want 16", res, pos)
		}
		s.Close()
	}
}

// TestWriteThatFailsStays: a write that has failed does not move the position.
func TestWriteThatFailsStays(t *testing.T) {
	file := recordFile(t, 1)
	p := play(t, queueAll, []int32{-int32(syscall.ENOSPC), 3}, nil)
	f := foreignFile(int(file.Fd()), true, false)
	if n, err := p.WriteCurrent(f, make([]byte, 8)); n != 0 || err != syscall.ENOSPC {
		t.Errorf("WriteCurrent = %d, %v; want ENOSPC", n, err)
	}
	if pos, _ := sys.Tell(f.FD); pos != 0 {
		t.Errorf("the position is %d; want 0", pos)
	}
	if n, err := p.WriteCurrent(f, make([]byte, 8)); n != 3 || err != nil {
		t.Errorf("WriteCurrent = %d, %v; want 3", n, err)
	}
	if pos, _ := sys.Tell(f.FD); pos != 3 {
		t.Errorf("the position is %d; want 3", pos)
	}
}

// TestDirectShort: a direct read that a driver ends early is continued, until the kernel
// has nothing more, or an error. A short read(2) stays.
func TestDirectShort(t *testing.T) {
	file := recordFile(t, 1)
	for _, c := range []struct {
		options        Options
		results, calls []int32
		want           int
	}{
		{queueAll, []int32{3, 5}, nil, 8},
		{queueAll, []int32{3, 0}, nil, 3},
		{queueAll, []int32{3, -int32(syscall.EINVAL)}, nil, 3},
		{queueAll, []int32{8}, nil, 8},
		{Options{Threads: 4, Plain: 1}, nil, []int32{3}, 3},
	} {
		p := play(t, c.options, c.results, c.calls)
		if n, err := p.ReadCurrent(foreignFile(int(file.Fd()), true, false), make([]byte, 8)); n != c.want || err != nil {
			t.Errorf("ReadCurrent where the driver gives %d and the kernel %d = %d, %v; want %d", c.results, c.calls, n, err, c.want)
		}
	}
}

// TestClassAtAPosition: an operation of a class, which is granted in parts, is one at the position
// all the same.
func TestClassAtAPosition(t *testing.T) {
	file := recordFile(t, 256)
	fd := int(file.Fd())
	for i, do := range []func(*Scheduler, *File, []byte) (int, error){
		(*Scheduler).Read, (*Scheduler).ReadCurrent, (*Scheduler).Write, (*Scheduler).WriteCurrent,
	} {
		d := script.New(8)
		other(d, func() {
			if n := sys.Read(fd, make([]byte, recordSize)); n != recordSize {
				t.Errorf("%d: the other reads %d", i, n)
			}
		})
		s := newOn(d, queueAll)
		c := s.Classes().New("bulk", fair.Settings{Weight: 1})
		f := iopath.NewFile(fd, true, false).View(c)
		b := bytes.Repeat([]byte{7}, 3<<20)
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		n, err := do(s, f, b)
		if pos, _ := sys.Tell(fd); n != len(b) || err != nil || pos != 3<<20+recordSize {
			t.Errorf("%d: %d, %v, and the position is %d; want %d, and %d", i, n, err, pos, len(b), 3<<20+recordSize)
		}
		s.Close()
	}
}

// TestReadAtTakesAllAtOnce: a range that is partly in the page cache is read in one call, where the
// driver does not read in parts. A write that comes during the read is in all of the bytes.
func TestReadAtTakesAllAtOnce(t *testing.T) {
	reads := map[string]func(s *Scheduler, f *File, b []byte) (int, error){
		"ReadAt": func(s *Scheduler, f *File, b []byte) (int, error) { return s.ReadAt(context.Background(), f, b, 0) },
		"Pread":  func(s *Scheduler, f *File, b []byte) (int, error) { return s.Pread(f, b, 0) },
	}
	for name, read := range reads {
		if !whereMissing(t, func() bool { return readOfAPart(t, name, read) }) {
			t.Logf("%s found all in memory each time", name)
		}
	}
}

// readOfAPart reads a record that is in memory in part. It returns false if the read has found all
// of it.
func readOfAPart(t *testing.T, name string, read func(s *Scheduler, f *File, b []byte) (int, error)) bool {
	file := recordFile(t, 4)
	s, calls := overwriting(t)
	defer s.Close()
	f := foreignFile(int(file.Fd()), false, false)
	b := make([]byte, recordSize)
	// This record is not the one that is read below: a look that finds a part starts read-ahead.
	if n := sys.ReadCached(f.FD, b, 2*recordSize); n <= 0 || n == recordSize {
		skip.For(t, skip.Chance, "nothing is partly in memory here")
	}
	if n, err := read(s, f, b); n != len(b) || err != nil {
		t.Errorf("%s = %d, %v", name, n, err)
	}
	if !readOverwritten(t, name, b, *calls) {
		return false
	}
	const end = 4 * recordSize
	if _, err := file.ReadAt(b[:100], end-100); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Pread(f, b, end-100); n != 100 || err != nil || *calls != 1 {
		t.Errorf("Pread at the end = %d, %v, by %d calls; want 100, by none", n, err, *calls-1)
	}
	return true
}

// overwriting returns a Scheduler whose driver does not read in parts, and how many plain calls it
// has made. Before the first one it makes record 77 of its file's first record.
func overwriting(t *testing.T) (s *Scheduler, calls *int) {
	t.Helper()
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, calls = newOn(drv, queueAll), new(int)
	s.paths.FindsEnd = true
	s.paths.Call = func(code driver.Code, fd int, b []byte, off int64) int32 {
		if *calls++; *calls == 1 {
			sys.Pwrite(fd, bytes.Repeat([]byte{77}, recordSize), 0)
		}
		return iopath.MakeCall(code, fd, b, off)
	}
	return s, calls
}

// readOverwritten fails the test unless a read has got record 77, which is b, by one call. It
// returns false if the read has found the first record, all of it, in memory.
func readOverwritten(t *testing.T, name string, b []byte, calls int) bool {
	t.Helper()
	got := whichRecord(t, b)
	if calls == 0 && got == 0 {
		return false
	}
	if got != 77 || calls != 1 {
		t.Errorf("%s has record %d, by %d calls; want 77, by 1", name, got, calls)
	}
	return true
}
