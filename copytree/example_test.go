package copytree_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sluiceio/sluice/copytree"
)

// A tree is copied with its metadata, and is on disk when Copy returns.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	photos, backup := filepath.Join(dir, "photos"), filepath.Join(dir, "backup")
	if err := os.MkdirAll(filepath.Join(photos, "2026"), 0o700); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"one.jpg", "two.jpg"} {
		if err := os.WriteFile(filepath.Join(photos, "2026", name), []byte("a photo"), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	result, err := copytree.Copy(context.Background(), backup, photos, copytree.Options{
		Preserve: copytree.PreserveAll,
		Sync:     copytree.SyncFiles,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Files, "files and", result.Dirs, "directories,", result.Bytes, "bytes")
	b, err := os.ReadFile(filepath.Join(backup, "2026", "two.jpg"))
	fmt.Println(string(b), err)
	// Output:
	// 2 files and 2 directories, 14 bytes
	// a photo <nil>
}

// An error of one file does not stop the other files. It has both paths, and a reason that a
// program can act on.
func ExampleError() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for _, name := range []string{"src/new", "src/old", "dst/old"} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("a file"), 0o600)); err != nil {
			log.Fatal(err)
		}
	}
	result, err := copytree.Copy(context.Background(), dst, src, copytree.Options{Existing: copytree.SkipFail})
	fmt.Println(errors.Is(err, copytree.ErrExists), result.Files, "copied", result.Failed, "failed")
	for _, e := range result.Errors {
		fmt.Println(filepath.Base(e.Src), e.Err)
	}
	if e, ok := errors.AsType[*copytree.Error](err); ok {
		fmt.Println("the destination is full:", e.Full())
	}
	// Output:
	// true 1 copied 1 failed
	// old not replacing
	// the destination is full: false
}
