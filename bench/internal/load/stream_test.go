package load

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestStreamGoesRound reads three times the length of the file, starting in the middle.
func TestStreamGoesRound(t *testing.T) {
	const size, blocks, first = 4096, 16, 5
	path := filepath.Join(t.TempDir(), "file")
	var content []byte
	for i := range blocks {
		content = append(content, bytes.Repeat([]byte{byte(i)}, size)...)
	}
	content = append(content, "less than a block is left out"...)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, way := range []Way{ByReader, ByNext} {
		setup := Setup{Path: path, Side: Side{Way: way}, Load: Load{Kind: ScanDirect, Size: size, Goroutines: 3}}
		st, err := openStream(setup)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.begin(first * size); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, size)
		for i := range 3 * blocks {
			if err := st.do(buf, 0); err != nil {
				t.Fatalf("%s: read %d: %v", way, i, err)
			}
			if want := byte((first + i) % blocks); way == ByReader && (buf[0] != want || buf[size-1] != want) {
				t.Fatalf("%s: read %d has block %d; want %d", way, i, buf[0], want)
			}
		}
		if err := st.end(); err != nil {
			t.Error(err)
		}
		if err := st.close(); err != nil {
			t.Error(err)
		}
	}
}
