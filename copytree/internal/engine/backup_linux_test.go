package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/engine"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestNumberedBackupIsNew has another process that takes the next number between the choice of the
// name and the rename. The copy must ask for a name again, and neither backup may be lost. A name
// that is always taken is an error.
func TestNumberedBackupIsNew(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		want  error
	}{
		"the next one is free": {[]string{"taken", "free"}, nil},
		"the same one again":   {[]string{"taken", "taken"}, syscall.EEXIST},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"src": "new", "dst": "old", "taken": "older"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			asked := 0
			_, err := engine.Copy(t.Context(), nil, []option.Pair{{Dst: filepath.Join(dir, "dst"), Src: filepath.Join(dir, "src")}}, option.Options{
				NumberedBackup: true,
				Backup: func(string) (string, error) {
					asked++
					return filepath.Join(dir, c.names[asked-1]), nil
				},
			})
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("Copy = %v; want %v", err, c.want)
			}
			want := map[string]string{"dst": "new", "free": "old", "taken": "older"}
			if c.want != nil {
				want = map[string]string{"dst": "old", "taken": "older"}
			}
			for name, text := range want {
				if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != text {
					t.Errorf("%s has %q, %v; want %q", name, got, err, text)
				}
			}
		})
	}
}
