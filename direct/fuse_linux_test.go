package direct_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectOnFUSE runs with servers that accept O_DIRECT, that do not, and that let the kernel
// cache writes.
func TestDirectOnFUSE(t *testing.T) {
	for how, explained := range map[string]string{"": "direct", "refuses": "buffered: O_DIRECT is refused", "writeback": "direct"} {
		t.Run("server "+how, func(t *testing.T) {
			testenv.EachDriverIn(t, testenv.MountFUSE(t, t.TempDir(), how), func(t *testing.T, s *sluice.Scheduler, dir string) {
				name := filepath.Join(dir, "file")
				f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if !strings.HasPrefix(f.Explain(), explained) {
					t.Errorf("Explain = %q; want %q", f.Explain(), explained)
				}
				want := bytes.Repeat([]byte("what is written "), 20000)
				for off := 0; off < len(want); off += 70001 {
					if _, err := f.WriteAt(want[off:min(off+70001, len(want))], int64(off)); err != nil {
						t.Fatal(err)
					}
				}
				if err := f.Sync(); err != nil {
					t.Error(err)
				}
				got := make([]byte, len(want)-5)
				if n, err := f.ReadAt(got, 5); n != len(got) || err != nil || !bytes.Equal(got, want[5:]) {
					t.Errorf("ReadAt = %d, %v; want %d, and what was written", n, err, len(got))
				}
				if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
					t.Errorf("the file has %d bytes, %v; want the %d that were written", len(got), err, len(want))
				}
				if err := f.Truncate(12345); err != nil {
					t.Error(err)
				}
				if size, err := f.Size(); size != 12345 || err != nil {
					t.Errorf("Size = %d, %v; want 12345", size, err)
				}
			})
		})
	}
}
