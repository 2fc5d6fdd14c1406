package classes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/internal/tune"
)

// TestExplainCap checks that a measured cap is used, whenever the first class comes. A cap that
// cannot be read must be reported, and the default used.
func TestExplainCap(t *testing.T) {
	dir := t.TempDir()
	probe, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	if _, err := tune.DeviceOf(probe); err != nil {
		skip.Forf(t, skip.Device, "the temporary directory: %v", err)
	}
	file := filepath.Join(dir, "tune.json")
	t.Setenv("SLUICE_TUNE", file)
	const defaults = "at most 64 operations and 2048 KiB at once, 128 KiB of a class"
	for text, want := range map[string][]string{
		`{"version":1,"depth":7,"bytes":3145728,"beside_bytes":65536}`: {
			"at most 7 operations and 3072 KiB at once, 64 KiB of a class", "measured 0001-01-01: " + file,
		},
		`{"version":1,"depth":-7}`: {defaults, "cannot be used: " + file + ": depth -7"},
		`{`:                        {defaults, "cannot be used: " + file},
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, classFirst := range []bool{true, false} {
			s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
			if strings.Contains(s.Explain(), "classes") {
				t.Error("Explain tells of classes, and there are none")
			}
			if classFirst {
				testenv.Class(t, s, "late", sluice.ClassOptions{Depth: 5})
			}
			testenv.TextOn(t, s, dir)
			if !classFirst {
				testenv.Class(t, s, "late", sluice.ClassOptions{Depth: 5})
			}
			for _, want := range append(want, "late: weight 100, at most 5 at once") {
				if got := s.Explain(); !strings.Contains(got, want) {
					t.Errorf("with %s Explain is\n%s\nwant %q in it", text, got, want)
				}
			}
		}
	}
}
