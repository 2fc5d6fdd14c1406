package batch

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
)

// A switch panics for a kind that it does not name.
func TestUnknownKinds(t *testing.T) {
	f, err := sluice.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scheduler, err := sluice.Default()
	if err != nil {
		t.Fatal(err)
	}
	for where, call := range map[string]func(){
		"byName":      func() { _ = (&Op{kind: opCloseFile, batch: New(scheduler)}).byName() },
		"at":          func() { _ = (&Op{kind: opCloseFile}).at(-1) },
		"callOnRange": func() { _ = (&Op{kind: opCloseFile, file: f}).callOnRange() },
		"onRaw":       func() { _ = (&Op{kind: opSync, open: &Op{}}).onRaw(nil) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, where+" has no case") {
					t.Errorf("%s of another's kind panics with %q; want that it has no case for it", where, text)
				}
			}()
			call()
		}()
	}
}
