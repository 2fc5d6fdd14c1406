package files

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestNilContext checks that a nil context is an error of each method with a context.
func TestNilContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	testenv.Write(t, name, "text")
	s := testenv.Scheduler(t, sluice.Options{})
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := direct.OpenOn(s, name, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cf := c.File(d)
	defer cf.Close() // also closes d
	var none context.Context
	b := make([]byte, 1)
	transfers := map[string]func(context.Context, []byte, int64) (int, error){
		"File.ReadAtContext": f.ReadAtContext, "File.WriteAtContext": f.WriteAtContext,
		"direct.File.ReadAtContext": d.ReadAtContext, "direct.File.WriteAtContext": d.WriteAtContext,
		"cache.File.ReadAtContext": cf.ReadAtContext, "cache.File.WriteAtContext": cf.WriteAtContext,
	}
	calls := map[string]func() error{
		"File.SyncContext":            func() error { return f.SyncContext(none) },
		"File.DatasyncContext":        func() error { return f.DatasyncContext(none) },
		"direct.File.SyncContext":     func() error { return d.SyncContext(none) },
		"direct.File.DatasyncContext": func() error { return d.DatasyncContext(none) },
		"cache.File.SyncContext":      func() error { return cf.SyncContext(none) },
		"cache.File.View":             func() error { _, err := cf.View(none, 0, 1); return err },
		"ReadBuffer":                  func() error { _, err := d.ReadBuffer(none, 0, 1); return err },
		"NewReader":                   func() error { _, err := d.NewReader(none, direct.ReaderOptions{}); return err },
		"NewWriter":                   func() error { _, err := d.NewWriter(none, direct.WriterOptions{}); return err },
		"ReadMany": func() (err error) {
			for _, err = range d.ReadMany(none, slices.Values([]direct.Range{{Len: 1}}), direct.ReadManyOptions{}) {
			}
			return err
		},
		"Batch.Do": func() error { return batch.New(s).Do(none) },
		"Batch.Each": func() (err error) {
			for _, err = range batch.New(s).Each(none) {
			}
			return err
		},
	}
	for name, transfer := range transfers {
		calls[name] = func() error { _, err := transfer(none, b, 0); return err }
	}
	for name, call := range calls {
		err := call()
		if err == nil || !strings.Contains(err.Error(), "the context is nil") {
			t.Errorf("%s = %v; want that the context is nil", name, err)
		}
		_, ok := err.(*fs.PathError)
		if ofFile := !strings.HasPrefix(name, "Batch"); ok != ofFile {
			t.Errorf("%s = %#v; want an *fs.PathError: %t", name, err, ofFile)
		}
	}
}
