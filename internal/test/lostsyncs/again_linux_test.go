package lostsyncs

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestWriteAgain checks that after a failed Sync a program can write its data again to a new file.
// In the old file it must first drop the pages: judge describes ext4 without that.
func TestWriteAgain(t *testing.T) {
	for _, at := range strings.Split(*place, ",") {
		t.Run(at, func(t *testing.T) {
			disk := testenv.NewLossy(t, at)
			t.Run("to a new file", func(t *testing.T) {
				failedSync(t, disk, disk.File(t, 0))
				writeAgain(t, disk, disk.File(t, 0))
			})
			t.Run("to the same file", func(t *testing.T) {
				name := disk.File(t, 0)
				failedSync(t, disk, name)
				f := must(sluice.OpenFile(name, os.O_RDWR, 0))(t)
				defer f.Close()
				if err := f.Advise(0, 0, sluice.AdviceDontNeed); err != nil {
					t.Fatal(err)
				}
				writeAgain(t, disk, name)
			})
		})
	}
}

// failedSync writes a block that the disk refuses. Sync must report it.
func failedSync(t *testing.T, disk *testenv.Lossy, name string) {
	t.Helper()
	f := must(sluice.OpenFile(name, os.O_RDWR, 0))(t)
	defer f.Close()
	b := make([]byte, page)
	disk.Block(b, testenv.LostMark)
	disk.Lose(func() {
		if _, err := f.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err == nil {
			t.Error("Sync = nil for a block that the disk has refused")
		}
	})
}

// writeAgain writes to the same place. The block must be on the disk.
func writeAgain(t *testing.T, disk *testenv.Lossy, name string) {
	t.Helper()
	f := must(sluice.OpenFile(name, os.O_RDWR, 0))(t)
	defer f.Close()
	b := make([]byte, page)
	disk.Block(b, testenv.KeptMark)
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatalf("Sync of what was written again: %v; want nil", err)
	}
	if !bytes.Equal(disk.ReadBack(t, name, 0, page), b) {
		t.Error("what was written again is not in the file")
	}
}
