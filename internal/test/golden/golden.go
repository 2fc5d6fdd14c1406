// Package golden compares the output of tests with files. `go test -update` rewrites the files;
// read the difference before you commit it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Compare fails t if the file's content is not got.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got:\n%s\nwant, as in %s:\n%s", got, file, want)
	}
}

// Scripts runs play in a subtest for each file that matches pattern, and compares the file with the
// result. A file is a script with its answers. play ignores the answers in the file, and returns
// the script with the actual answers.
func Scripts(t *testing.T, pattern string, play func(t *testing.T, script string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			Compare(t, file, []byte(play(t, string(script))))
		})
	}
}
