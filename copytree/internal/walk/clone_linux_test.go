//go:build amd64 || arm64

package walk

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/places"
)

// TestClonesSmallFiles copies small files between places that share data, and between places that
// do not. The first file shows whether they do.
func TestClonesSmallFiles(t *testing.T) {
	for place, clones := range map[string]bool{"xfs": true, "btrfs": true, "ext4": false} {
		t.Run(place, func(t *testing.T) {
			dir := places.FileSystems[place](t, 300<<20)
			src := filepath.Join(dir, "src")
			const files = 20
			for i := range files {
				write(t, filepath.Join(src, fmt.Sprint(i)), strings.Repeat("x", 1+i*3000))
			}
			write(t, filepath.Join(src, "empty"), "")
			j := newWalk(t, t.Context(), option.Options{}, at.New())
			r, err := copyAll(j, option.Pair{Dst: filepath.Join(dir, "dst"), Src: src})
			want := int64(0)
			if clones {
				want = files
			}
			if err != nil || r.Cloned != want || r.Files != files+1 {
				t.Errorf("%d files, %d cloned, %v; want %d, %d", r.Files, r.Cloned, err, files+1, want)
			}
			var st unix.Stat_t
			if err := unix.Stat(src, &st); err != nil {
				t.Fatal(err)
			}
			dev := st.Dev
			if j.job.Content.MayClone(dev, dev) != clones {
				t.Errorf("MayClone = %t for the next file; want %t", !clones, clones)
			}
			partly(t, filepath.Join(dir, "dst"), src)
		})
	}
}
