package proof_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestHolesFail has a file system that says where data begins, and fails when it should say where
// the data ends. The copy must end with that error.
func TestHolesFail(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "file"))
	must(t, err)
	_, err = f.WriteAt([]byte("content"), 1<<20)
	must(t, err, f.Truncate(2<<20), f.Close())
	src := filepath.Join(testenv.MountFUSE(t, dir, "no holes"), "file")
	r := refused(t, filepath.Join(t.TempDir(), "copy"), src, option.Options{}, syscall.EIO)
	if len(r.Errors) != 1 || r.Errors[0].Op != "lseek" || r.Errors[0].Path != src {
		t.Errorf("the errors are %v; want one, of lseek and %s", r.Errors, src)
	}
}
