//go:build unix

package record

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// recorder returns a Recorder in a file, with room for that many records.
func recorder(t *testing.T, events int) (r *Recorder, name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "file")
	r, err := Create(name, Options{Events: events, Names: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return r, name
}

// put records n operations, each with another file name.
func put(r *Recorder, n int) {
	for i := range n {
		var ref FileRef
		r.PutOp(&Op{Queued: Now(), Off: int64(i), File: r.File(&ref, fmt.Sprint("name", i))})
	}
}

// readBack reads the file, as if the process had ended here. It returns the number of records in
// it, and its size on the disk.
func readBack(t *testing.T, name string) (n int, of Recording, onDisk int64) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var ops []Op
	if of, err = Read(f, f, Sink{Op: func(o Op, _ uint32) { ops = append(ops, o) }}); err != nil {
		t.Fatal(err)
	}
	for _, o := range ops {
		if want := fmt.Sprint("name", o.Off); o.File != 0 && of.Files[o.File] != want {
			t.Fatalf("file %d is %q; want %q", o.File, of.Files[o.File], want)
		}
	}
	var st syscall.Stat_t
	if err := syscall.Stat(name, &st); err != nil {
		t.Fatal(err)
	}
	return len(ops), of, st.Blocks * 512
}

// TestFileGrows checks that the size on the disk is little more than the size of the records.
func TestFileGrows(t *testing.T) {
	r, name := recorder(t, 1<<20)
	// The size at the beginning and the size of a record, in bytes.
	const little, recorded = 512 << 10, 64
	for _, count := range []int{10, 1000, 5000} {
		before, _, _ := readBack(t, name)
		put(r, count)
		n, of, onDisk := readBack(t, name)
		if n-before != count || of.Total != int64(n) || of.Keep {
			t.Errorf("%d records after %d and %d more, %d asked for", n, before, count, of.Total)
		}
		names := len(of.Files) * len("..name12345")
		if most := int64(n*recorded*11/10 + names + little); onDisk > most {
			t.Errorf("%d records take %d bytes on the disk; want at most %d", n, onDisk, most)
		}
	}
	_, of, _ := readBack(t, name)
	if got := len(of.Files); got != 5001 || of.Files[5000] != "name4999" {
		t.Errorf("%d names, the last %q; want 5001 with the one of nothing", got, of.Files[got-1])
	}
}

// TestFileGrowsToItsEnd fills the file, and records more.
func TestFileGrowsToItsEnd(t *testing.T) {
	r, name := recorder(t, 1<<14)
	for i := range r.Events() + 1000 {
		r.PutOp(&Op{Queued: Now(), Off: int64(i)})
	}
	if n, of, _ := readBack(t, name); n < r.Events()-10*perChunk || n > r.Events() || of.Total != int64(r.Events())+1000 {
		t.Errorf("%d records of %d that have room, %d asked for", n, r.Events(), of.Total)
	}
}

// TestFileCannotGrow checks that a file that cannot grow has the records for which it has room, and
// that all further records are counted.
func TestFileCannotGrow(t *testing.T) {
	r, name := recorder(t, 1<<20)
	if err := r.growth.f.Close(); err != nil {
		t.Fatal(err)
	}
	const asked = 50_000
	put(r, asked)
	n, of, _ := readBack(t, name)
	if n == 0 || n > chunksMore*perChunk || of.Total != asked || !of.Keep {
		t.Errorf("%d records, %d asked for, Keep %v; want some, %d, and that the last are missing", n, of.Total, of.Keep, asked)
	}
	if len(of.Files) < 2 || len(of.Files) > namesMore/len("..name0") {
		t.Errorf("%d names; want as many as there was room for", len(of.Files))
	}
	got := 0
	if of := r.Collect(Sink{Op: func(Op, uint32) { got++ }}); got != n || of.Total != asked {
		t.Errorf("Collect gives %d of %d; want %d of %d", got, of.Total, n, asked)
	}
}

// TestFileClosedByProgram checks that a file that has got the descriptor's number is not changed.
// Earlier records are in the recording.
func TestFileClosedByProgram(t *testing.T) {
	r, name := recorder(t, 1<<20)
	put(r, 10)
	other, err := os.Create(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := unix.Dup2(int(other.Fd()), int(r.growth.f.Fd())); err != nil {
		t.Fatal(err)
	}
	put(r, 1<<16)
	if info, err := other.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("the other file has %d bytes, %v; want 0", info.Size(), err)
	}
	if n, _, _ := readBack(t, name); n < 10 {
		t.Errorf("%d records; want 10 at least", n)
	}
	r.growth.f.Close() // closes the number, which another file has got above
}
