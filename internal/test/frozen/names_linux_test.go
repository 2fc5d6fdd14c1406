package frozen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// frozenNameChanges add operations to a chain that wait for the thaw.
var frozenNameChanges = map[string]func(c batch.Chain, f readFile, name string){
	"mkdir":    func(c batch.Chain, _ readFile, name string) { c.Mkdir(name, 0o700) },
	"symlink":  func(c batch.Chain, _ readFile, name string) { c.Symlink("to", name) },
	"create":   func(c batch.Chain, _ readFile, name string) { createIn(c, name) },
	"allocate": func(c batch.Chain, f readFile, _ string) { c.Allocate(batch.On(f.buffered), 0, testenv.PageSize) },
	"truncate": func(c batch.Chain, f readFile, _ string) { c.Truncate(batch.On(f.cold), coldSize) },
}

func createIn(c batch.Chain, name string) {
	c.Close(c.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600))
}

// frozenNameReads add operations to a chain that a frozen file system answers.
var frozenNameReads = map[string]func(c batch.Chain, f readFile){
	"stat":     func(c batch.Chain, f readFile) { c.Stat(f.cold.Name()) },
	"lstat":    func(c batch.Chain, f readFile) { c.Lstat(f.cold.Name()) },
	"open":     func(c batch.Chain, f readFile) { c.Close(c.Open(f.cold.Name())) },
	"ReadFile": func(c batch.Chain, f readFile) { c.ReadFile(f.cold.Name()) },
	"advise": func(c batch.Chain, f readFile) {
		c.Advise(batch.On(f.cold), 0, testenv.PageSize, sluice.AdviceWillNeed)
	},
}

// Hazard: calls of Batches that change names or files, and wait for the thaw, have all permits.
// Calls that change nothing then wait with them. Guard: changes leave permits to other calls.
func TestFrozenAnswersNames(t *testing.T) {
	dir, elsewhere := places.FileSystems["ext4"](t, 64<<20), t.TempDir()
	const n = 128
	for _, driver := range testenv.Drivers {
		for kind, change := range frozenNameChanges {
			t.Run(driver+"/"+kind, func(t *testing.T) {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				f, other := openReads(t, s, dir), openReads(t, s, elsewhere)
				frozen := places.Freeze(t, dir)
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() {
						b := batch.New(s)
						change(b.Chain(), f, filepath.Join(dir, fmt.Sprint(driver, kind, i)))
						if err := b.Do(context.Background()); err != nil {
							t.Error(err)
						}
					})
				}
				testenv.WaitFor(t, "changes", func() bool {
					calls, waiting := testenv.CoreOf(s).Names()
					onFiles, waitingOnFiles := testenv.CoreOf(s).Devices().InUse()
					return calls+waiting+onFiles+waitingOnFiles >= n
				})
				// Hangs until the thaw if the changes are in the way.
				for name, read := range frozenNameReads {
					for _, f := range []readFile{f, other} {
						b := batch.New(s)
						read(b.Chain(), f)
						if err := b.Do(context.Background()); err != nil {
							t.Errorf("%s: %v", name, err)
						}
					}
				}
				frozen.Thaw()
				all.Wait()
			})
		}
	}
}
