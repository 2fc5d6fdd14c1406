package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrograms keeps rows in a file, and writes them on the page in the order of programs.
func TestPrograms(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "rows.json")
	kept, err := readRows(name)
	if err != nil || len(kept) != 0 {
		t.Fatalf("readRows of a missing file = %v, %v; want no rows", kept, err)
	}
	last := len(programs) - 1
	o := options{dir: t.TempDir(), size: 512 << 20, rounds: 8, time: 1e9}
	kept.set(row{of: programs[last], goroutines: 1, rate: 5, ratio: 0.9, low: 0.8, high: 0.95, cpu: 1, p99: 1}, o)
	kept.set(row{of: programs[0], goroutines: 16, rate: 1000, ratio: 1.5, low: 1.4, high: 1.6, cpu: 0.5, p99: 0.25, threads: [2]int{20, 9}}, o)
	if err := kept.write(name); err != nil {
		t.Fatal(err)
	}
	if kept, err = readRows(name); err != nil || len(kept) != 2 {
		t.Fatalf("readRows = %v, %v; want two rows", kept, err)
	}
	var b strings.Builder
	writePrograms(&b, "a machine", kept.list())
	first := "| " + programs[0].name + " | " + programs[0].does + " | 16 | 1.00k | 1.50 | 1.40-1.60 | gains | 0.50 | 0.25 | 20, 9 | 512 MiB, 256 MiB, " + readAhead(o.dir) + ", 8 rounds of 1s |"
	second := "| its own | 5.00 | 0.90 | 0.80-0.95 | loses |"
	if i, j := strings.Index(b.String(), first), strings.Index(b.String(), second); i < 0 || j < i {
		t.Errorf("the page lacks %q or, behind it, %q:\n%s", first, second, b.String())
	}
}

// TestVerdict checks the bounds of the words.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		row  keptRow
		want string
	}{
		{keptRow{Ratio: 1.03, Low: 1.01}, "gains"},
		{keptRow{Ratio: 1.2, Low: 0.99}, "level"},
		{keptRow{Ratio: 1.02, Low: 1.01}, "level"},
		{keptRow{Ratio: 0.97, Low: 0.9}, "level"},
		{keptRow{Ratio: 0.969, Low: 0.9}, "loses"},
	} {
		if got := test.row.verdict(); got != test.want {
			t.Errorf("%+v: %s; want %s", test.row, got, test.want)
		}
	}
}

// TestFiles checks the files that commands read.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	const records = 10 * perDirectory
	if err := fillFiles(dir, records*fileSize/valueSize); err != nil {
		t.Fatal(err)
	}
	n, bytes := 0, int64(0)
	err := filepath.WalkDir(filepath.Join(dir, commandFiles), func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		n++
		bytes += info.Size()
		return err
	})
	if err != nil || n != records || files(records*fileSize/valueSize) != records {
		t.Errorf("%d files, %v; want %d", n, err, records)
	}
	if mean := bytes / records; mean < fileSize*8/10 || mean > fileSize*12/10 {
		t.Errorf("a file has %d bytes on average; want about %d", mean, fileSize)
	}
}
