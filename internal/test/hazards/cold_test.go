package hazards

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// cold makes an uncached file of one page of 0xa5. It has one page because a cached read of one
// page starts readahead.
func cold(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(bytes.Repeat([]byte{0xa5}, testenv.PageSize)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := testenv.DropCache(int(f.Fd())); err != nil {
		skip.For(t, skip.Platform, "the page cache cannot be emptied: ", err)
	}
	return name
}

// coldFiles makes n cold files.
func coldFiles(t *testing.T, n int) (names []string) {
	dir := places.Disk(t)
	for i := range n {
		names = append(names, cold(t, filepath.Join(dir, fmt.Sprint("cold", i))))
	}
	return names
}

// wantCold checks a read of a cold file.
func wantCold(b []byte, n int, err error) error {
	if n != len(b) || err != nil {
		return fmt.Errorf("ReadAt = %d, %v; want %d, nil", n, err, len(b))
	}
	for i := range b {
		if b[i] != 0xa5 {
			return fmt.Errorf("ReadAt: byte %d is %#x; want 0xa5", i, b[i])
		}
	}
	return nil
}
