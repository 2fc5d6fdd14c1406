package crashlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// kind is a note's statement about a log or one of its records.
type kind uint8

const (
	// created says that the log's file is about to be made. From then on the file may have the
	// length Number.
	created kind = iota
	// recycled says that another log's file is about to get this log's name, and keeps its bytes.
	recycled
	begun   // the record is about to be written
	written // the file has the record: it survives the process
	synced  // the device has it: it survives a power cut
	ended   // the file is about to be removed or recycled
)

// note is one line of the logs' history. A child writes its bytes to a pipe.
type note struct {
	Log    logID
	Kind   kind
	Number uint32
}

// book is the required content of the logs, by the notes so far.
type book struct {
	logs map[logID]*entry
	dues int // records that must be there
}

// entry is one log of a book.
type entry struct {
	acked    []bool // by number, for the records that were begun
	size     int64  // the file's possible length without a record
	recycled bool   // the file has another log's bytes
}

func newBook() *book { return &book{logs: make(map[logID]*entry)} }

// add adds a note. least is the weakest acknowledgement that counts, written or synced.
func (b *book) add(n note, least kind) {
	switch e := b.logs[n.Log]; {
	case n.Kind == created, n.Kind == recycled:
		b.logs[n.Log] = &entry{size: int64(n.Number), recycled: n.Kind == recycled}
	case n.Kind == ended:
		for _, acked := range e.acked {
			if acked {
				b.dues--
			}
		}
		delete(b.logs, n.Log)
	case n.Kind == begun:
		e.acked = append(e.acked, false) // records are begun in order
	case n.Kind >= least && !e.acked[n.Number]:
		e.acked[n.Number] = true
		b.dues++
	}
}

// loss is an error in a log.
type loss struct {
	log  logID
	what string
}

// check compares the files in dir with the book.
func (b *book) check(dir string) (losses []loss) {
	for id, e := range b.logs {
		if err := e.check(id, filepath.Join(dir, id.file())); err != nil {
			losses = append(losses, loss{id, err.Error()})
		}
	}
	return losses
}

func (e *entry) check(id logID, name string) error {
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	missing := err // without the file all records are missing
	off := 0
	for number, acked := range e.acked {
		want := id.record(number)
		got := data[min(off, len(data)):min(off+len(want), len(data))]
		if acked {
			if err := id.expect(got, number); err != nil {
				return fmt.Errorf("%s has %d bytes (%v); record %d of %d bytes at %d was acknowledged, and %w",
					id.file(), len(data), missing, number, len(want), off, err)
			}
		} else if !e.recycled {
			if at := foreign(got, want); at >= 0 {
				return fmt.Errorf("%s has a byte %#x at %d, where record %d was begun: it is neither zero nor the record's, %#x",
					id.file(), got[at], off+at, number, want[at])
			}
		}
		off += len(want)
	}
	if most := max(e.size, int64(off)); int64(len(data)) > most && !e.recycled {
		return fmt.Errorf("%s has %d bytes; no more than %d were written", id.file(), len(data), most)
	}
	if rest := data[min(off, len(data)):]; !e.recycled && bytes.Count(rest, []byte{0}) != len(rest) {
		return fmt.Errorf("%s has bytes other than zero beyond byte %d, where nothing was written", id.file(), off)
	}
	return nil
}

// foreign returns the index of a byte of got that is neither zero nor want's byte, or -1.
func foreign(got, want []byte) int {
	for i, c := range got {
		if c != 0 && c != want[i] {
			return i
		}
	}
	return -1
}

// verdict sums up the checks after many crashes.
type verdict struct {
	checks, dues int
	faults       int // checks in which package os's log has also lost something
}

// judge counts a check. It fails the test for losses that package os does not have in the same
// state.
func (v *verdict) judge(t *testing.T, b *book, losses []loss, state string) {
	t.Helper()
	v.checks++
	v.dues += b.dues
	for _, l := range losses {
		if l.log.Way == controlWay {
			v.faults++
			t.Logf("%s: not ours, package os has lost it: %s", state, l.what)
			return
		}
	}
	for _, l := range losses {
		t.Errorf("%s: %s", state, l.what)
	}
}

// report prints the figure, in units.
func (v *verdict) report(t *testing.T, unit string) {
	t.Helper()
	t.Logf("%d records were acknowledged; in %d of %d states package os had lost something, too", v.dues, v.faults, v.checks)
	if v.faults*100 > v.checks {
		t.Error("the device or the file system has lost too much to find losses of sluice")
	}
	t.Logf("figure: %d %s", v.checks, unit)
}

// TestBook checks that each possible error in a log is found.
func TestBook(t *testing.T) {
	id := logID{Way: 1, Generation: 3}
	one, two, three := id.record(0), id.record(1), id.record(2)
	for _, c := range []struct {
		data []byte // nil means no file
		last kind   // of record 1; record 0 was synced, and record 2 begun
		ok   bool
	}{
		{bytes.Join([][]byte{one, two, three}, nil), synced, true},
		{bytes.Join([][]byte{one, two}, nil), synced, true},
		{bytes.Join([][]byte{one, two, three[:9]}, nil), synced, true},
		{bytes.Join([][]byte{one, make([]byte, len(two)), three}, nil), begun, true},
		{bytes.Join([][]byte{one, make([]byte, len(two)), three}, nil), written, false},
		{bytes.Join([][]byte{one, two[:len(two)-1]}, nil), synced, false},
		{bytes.Join([][]byte{one, two[:len(two)-1]}, nil), begun, true},
		{bytes.Join([][]byte{one, bytes.Repeat([]byte{'x'}, len(two))}, nil), begun, false},
		{bytes.Join([][]byte{one, two, three, {0}}, nil), begun, false},
		{one[:len(one)-1], begun, false},
		{nil, begun, false},
	} {
		b := newBook()
		for _, n := range []note{{id, created, 0}, {id, begun, 0}, {id, begun, 1}, {id, begun, 2}, {id, synced, 0}} {
			b.add(n, written)
		}
		if c.last != begun {
			b.add(note{id, c.last, 1}, written)
		}
		dir := t.TempDir()
		if c.data != nil {
			if err := os.WriteFile(filepath.Join(dir, id.file()), c.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if losses := b.check(dir); (len(losses) == 0) != c.ok {
			t.Errorf("%d bytes, record 1 is of kind %d: %v; want none: %t", len(c.data), c.last, losses, c.ok)
		}
	}
}
