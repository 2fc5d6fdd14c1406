package pictures

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/results"
)

// TestStale writes a report with one figure over a report with several. The new report must remain,
// and so must files that no report wrote.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	all := testRun(t)
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	small := *all
	small.Results = slices.DeleteFunc(slices.Clone(all.Results), func(n results.Named) bool {
		return n.Name != "fig6" && n.Name != "rand-depth"
	})
	if err := d.Write(&small); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	mine := map[string]string{
		filepath.Join(dir, "thesis.tex"):     "mine",
		filepath.Join(dir, "rand-depth.csv"): "changed by me", // written by the report, and changed
		outside:                              "nobody's business",
	}
	for name, text := range mine {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lie(t, dir, outside, "thesis.tex")
	small.Results = small.Results[:1] // fig6
	if err := d.Write(&small); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"fig6.csv", "fig6.json", "fig6.svg", index, manifestName, overviewName, "rand-depth.csv", resultsName, "thesis.tex",
	}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the directory has %q; want %q", got, want)
	}
	for name, text := range mine {
		if got, err := os.ReadFile(name); string(got) != text {
			t.Errorf("%s is %q, %v; want %q", name, got, err, text)
		}
	}
}

// lie adds files to the manifest that no report wrote: one in another directory with its right
// checksum, and one in this directory with a wrong one.
func lie(t *testing.T, dir, outside, here string) {
	t.Helper()
	d := &Dir{path: dir}
	entries, err := d.manifest()
	if err != nil || len(entries) == 0 {
		t.Fatalf("the manifest has %d entries, %v", len(entries), err)
	}
	text, err := os.ReadFile(outside)
	if err != nil {
		t.Fatal(err)
	}
	away, err := filepath.Rel(dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	entries = append(entries, newEntry(away, text), newEntry(outside, text), entry{strings.Repeat("0", 64), here})
	if err := d.putManifest(entries); err != nil {
		t.Fatal(err)
	}
}

// TestManifest checks that the manifest names all files of a report except itself.
func TestManifest(t *testing.T) {
	files := written(t)
	var got []string
	for line := range strings.Lines(string(files[manifestName])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		got = append(got, name)
		if newEntry(name, files[name]).sum != sum {
			t.Errorf("the sum of %s is not that of the file", name)
		}
	}
	slices.Sort(got)
	var want []string
	for name := range files {
		if name != manifestName {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the manifest has %q; want %q", got, want)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
