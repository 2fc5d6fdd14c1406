package fix

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sluiceio/sluice/internal/test/skip"
)

var update = flag.Bool("update", false, "write what Run returns into testdata")

// TestRun runs the programs of testdata. The comment of an archive says what it is about, and
// in a line "fix ..." what the options are. The file "want" has the diff and the report.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives in testdata: ", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, dir := runArchive(t, archive)
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if *update {
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: got})
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if i < 0 || !bytes.Equal(got, archive.Files[i].Data) {
				t.Errorf("in %s:\n%s", dir, got)
			}
		})
	}
}

// runArchive runs the options of an archive on its files, and returns the diff and the
// report. What it has written is run on once more: nothing must be left to change.
func runArchive(t *testing.T, archive *txtar.Archive) ([]byte, string) {
	t.Helper()
	dir := extract(t, archive)
	o := optionsOf(t, string(archive.Comment))
	o.Dir = dir
	r, err := Run(context.Background(), o)
	if err != nil {
		return []byte("error: " + err.Error() + "\n"), dir
	}
	var got bytes.Buffer
	got.Write(r.Diff())
	if err := r.Report(&got, "changed"); err != nil {
		t.Fatal(err)
	}
	return got.Bytes(), dir
}

// extract writes the files of an archive, and returns their directory.
func extract(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "want" {
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func optionsOf(t *testing.T, comment string) Options {
	o := Options{Patterns: []string{"./..."}, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")}
	for line := range strings.Lines(comment) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "fix" {
			continue
		}
		for _, word := range words[1:] {
			switch {
			case word == "-exported":
				o.Exported = true
			case strings.HasPrefix(word, "-tags="):
				o.Tags = word[len("-tags="):]
			case strings.HasPrefix(word, "-"):
				t.Fatalf("no option %s", word)
			default:
				o.Patterns = []string{word}
			}
		}
	}
	return o
}
