package proof_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// coarse has file systems that keep times in coarser steps than nanoseconds, with the steps.
var coarse = map[string]struct {
	place func(t *testing.T) string
	step  time.Duration
}{
	"ext4 with small inodes": {func(t *testing.T) string {
		return formatted(t, 100<<20, "mkfs.ext4 -q -F -I 128")
	}, time.Second},
	"vfat":  {func(t *testing.T) string { return formatted(t, 100<<20, "mkfs.vfat -F 32") }, 2 * time.Second},
	"tmpfs": {places["tmpfs"], time.Nanosecond},
}

// TestCoarseTimes checks that Older and Resume do not copy again if a copy's time was rounded. They
// must copy a source that is newer by a step.
func TestCoarseTimes(t *testing.T) {
	needRoot(t)
	for name, on := range coarse {
		t.Run(name, func(t *testing.T) {
			t.Chdir(on.place(t))
			src := t.TempDir()
			times := []time.Time{
				time.Unix(1700000000, 123456789), time.Unix(1700000001, 0), time.Unix(1700000001, 1),
				time.Unix(1700000000, 123456700), time.Unix(1700000003, 999999999),
			}
			for i, at := range times {
				name := fmt.Sprint(src, "/", i)
				put(t, name, "content")
				must(t, os.Chtimes(name, at, at))
			}
			o := option.Options{Preserve: option.PreserveTimes}
			copied(t, "copy", src, o)
			older, resume := o, o
			older.Existing, resume.Resume = option.Older, true
			for _, again := range []option.Options{older, resume} {
				if r := copied(t, "copy", src, again); r.Files != 0 {
					t.Errorf("%+v: %d files copied again", again, r.Files)
				}
			}
			later := times[0].Add(on.step)
			must(t, os.Chtimes(src+"/0", later, later))
			if r := copied(t, "copy", src, older); r.Files != 1 {
				t.Errorf("%d files copied after one has become newer; want 1", r.Files)
			}
			if entries, err := os.ReadDir("copy"); len(entries) != len(times) || err != nil {
				t.Errorf("%v, %v; want the copies alone", entries, err)
			}
		})
	}
}
