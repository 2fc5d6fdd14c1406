//go:build amd64 || arm64

package entry

import (
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/hardlink"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestCopyDoesNotReturn has a caller's function that panics or ends the goroutine that copies a
// file with several names. A worker that waits for the copy must learn that there is none, and the
// next name must be copied.
func TestCopyDoesNotReturn(t *testing.T) {
	for name, end := range map[string]func(){"Goexit": runtime.Goexit, "panic": func() { panic("mine") }} {
		t.Run(name, func(t *testing.T) {
			m := NewMaker(&Job{Opt: option.Options{Preserve: option.PreserveLinks}}, at.New(), new(longCopies))
			it := item.Item{Stat: at.Stat{ID: at.ID{Dev: 1, Ino: 2}, Nlink: 3}}
			var other *hardlink.Copy
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer func() { _ = recover() }()
				_ = m.copyOrLink(&it, func(*item.Item) error {
					other, _ = m.job.Links.Find(it.Stat.ID)
					end()
					return nil
				})
			}()
			<-ended
			if _, first := m.job.Links.Find(it.Stat.ID); !first {
				t.Fatal("the next name of the file waits for a copy that nobody makes")
			}
			if other.Wait() {
				t.Error("Wait = true without a copy")
			}
		})
	}
}
