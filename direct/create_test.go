package direct_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
)

// create makes a direct file in dir. It is closed at the end of the test.
func create(t testing.TB, s *sluice.Scheduler, dir string) *direct.File {
	t.Helper()
	f, err := direct.OpenOn(s, filepath.Join(dir, "file"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
