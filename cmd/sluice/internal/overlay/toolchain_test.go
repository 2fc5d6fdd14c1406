package overlay

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestLibraryForToolchain: the library's files are those for the program's toolchain, which may be
// another than that of the library's own directory. The go command downloads the newer one.
func TestLibraryForToolchain(t *testing.T) {
	source, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string]string{"go1.26.8": "labels_go126.go", "go1.27.2": "labels_other.go"} {
		t.Run(release, func(t *testing.T) {
			if _, err := goOutput(t.Context(), t.TempDir(), []string{"GOTOOLCHAIN=" + release}, "version"); err != nil {
				skip.For(t, skip.Proxy, "the toolchain cannot be had: ", err)
			}
			pkgs, err := listLibrary(t.Context(), toolchain{GOVERSION: release}, source)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(pkgs, func(p *listed) bool { return p.ImportPath == library+"/internal/sys" })
			var labels []string
			for _, name := range pkgs[i].GoFiles {
				if strings.HasPrefix(name, "labels_") {
					labels = append(labels, name)
				}
			}
			if len(labels) != 1 || labels[0] != want {
				t.Errorf("files are %q; want %q", labels, want)
			}
		})
	}
}

func TestToolchainChoice(t *testing.T) {
	for version, want := range map[string]struct {
		choice string
		old    bool
	}{
		"go1.26.8":                           {"go1.26.8", false},
		"go1.27.2":                           {"go1.27.2", false},
		"go1.27rc1":                          {"go1.27rc1", false},
		"go1.26.0 X:nogreenteagc":            {"go1.26.0", false},
		"go1.25.4":                           {"go1.25.4", true},
		"devel go1.28-0123456789 Fri Nov 27": {"local", false},
	} {
		tool := toolchain{GOVERSION: version}
		if got := tool.choice(); got != want.choice {
			t.Errorf("choice of %q = %q; want %q", version, got, want.choice)
		}
		if err := tool.check(); (err != nil) != want.old {
			t.Errorf("check of %q = %v; want an error: %t", version, err, want.old)
		}
	}
}
