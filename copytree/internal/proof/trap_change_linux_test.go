package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/engine"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestVanishing removes and makes files and directories while they are copied. A missing file must
// be an error, and the other files must be copied.
func TestVanishing(t *testing.T) {
	t.Chdir(t.TempDir())
	const files = 40
	for i := range files {
		put(t, fmt.Sprintf("tree/stays/%d", i), "content")
		put(t, fmt.Sprintf("tree/goes/%d/file", i), "content")
	}
	stop := swapper(t, func(i int) {
		name := fmt.Sprintf("tree/goes/%d", i%files)
		os.Rename(name, "away")
		os.Rename("away", name)
	})
	for range 40 {
		r, _ := within(t, "copy", "tree", option.Options{})
		for _, e := range r.Errors {
			if !errors.Is(e, fs.ErrNotExist) && !errors.Is(e, fault.ErrChanged) {
				t.Errorf("%v; want that it is not there, or changed", e)
			}
		}
		for i := range files {
			holds(t, fmt.Sprintf("copy/stays/%d", i), "content")
		}
		must(t, os.RemoveAll("copy"))
	}
	stop()
}

// TestGrowing copies a file that grows as fast as possible. The copy must end, and have the
// beginning of the file.
func TestGrowing(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "file", string(bytes.Repeat([]byte("x"), 1<<20)))
	f, err := os.OpenFile("file", os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer f.Close()
	more := bytes.Repeat([]byte("x"), 64<<10)
	stop := swapper(t, func(i int) {
		if i < 1000 {
			if _, err := f.Write(more); err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		_, err := within(t, "copy", "file", option.Options{Reflink: option.ReflinkNever})
		got, readErr := os.ReadFile("copy")
		if err != nil || readErr != nil || len(got) < 1<<20 || len(bytes.Trim(got, "x")) > 0 {
			t.Errorf("%v, %v: %d bytes, others than the file's among them: %d", err, readErr, len(got), len(bytes.Trim(got, "x")))
		}
	}
	stop()
}

// TestShrinking copies a file that is truncated and written again. Each byte of the copy must come
// from the file or be zero. Zeros are possible: splice(2) takes pages of the page cache, and
// truncate(2) zeroes the rest of a page, taken or not. copy_file_range(2) and sendfile(2) have the
// same effect.
func TestShrinking(t *testing.T) {
	t.Chdir(t.TempDir())
	content := bytes.Repeat([]byte("x"), 4<<20)
	put(t, "file", string(content))
	f, err := os.OpenFile("file", os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	stop := swapper(t, func(int) {
		if err := f.Truncate(1000); err != nil {
			t.Error(err)
		}
		if _, err := f.WriteAt(content, 0); err != nil {
			t.Error(err)
		}
	})
	for range 30 {
		_, err := within(t, "copy", "file", option.Options{})
		if err != nil {
			t.Error(err)
		}
		got, err := os.ReadFile("copy")
		if err == nil && len(bytes.Trim(got, "x\x00")) > 0 {
			t.Errorf("the copy has %d bytes that the file has not", len(bytes.Trim(got, "x\x00")))
		}
		must(t, os.RemoveAll("copy"))
	}
	stop()
}

// TestSwappedSourceFile replaces a file by a symbolic link to a secret, after the directory was
// read and before the file is opened.
func TestSwappedSourceFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const files = 50
	put(t, "secret", "secret")
	must(t, os.Mkdir("links", 0o755))
	for i := range files {
		put(t, fmt.Sprint("tree/", i), "content")
		must(t, os.Symlink("../secret", fmt.Sprint("links/", i)))
	}
	stop := swapper(t, func(i int) {
		i %= files
		unix.Renameat2(unix.AT_FDCWD, fmt.Sprint("tree/", i), unix.AT_FDCWD, fmt.Sprint("links/", i), unix.RENAME_EXCHANGE)
	})
	for range 60 {
		within(t, "copy", "tree", option.Options{})
		for i := range files {
			name := fmt.Sprint("copy/", i)
			if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if b, err := os.ReadFile(name); err == nil && string(b) == "secret" {
				t.Errorf("%s has what a symbolic link leads to", name)
			}
		}
		must(t, os.RemoveAll("copy"))
	}
	stop()
}

// TestHardLinksAcrossSources checks that hard links between files of several sources stay.
func TestHardLinksAcrossSources(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a/file", "content")
	put(t, "b/other", "other")
	must(t, os.Link("a/file", "b/link"), os.Link("a/file", "link"), os.Mkdir("to", 0o755))
	pairs := []option.Pair{{Dst: "to/a", Src: "a"}, {Dst: "to/b", Src: "b"}, {Dst: "to/link", Src: "link"}}
	r, err := engine.Copy(t.Context(), nil, pairs, all)
	if err != nil || r.Links != 2 {
		t.Errorf("%d links, %v; want 2", r.Links, err)
	}
	for _, name := range []string{"to/b/link", "to/link"} {
		sameFile(t, "to/a/file", name)
	}
}

func sameFile(t *testing.T, a, b string) {
	t.Helper()
	ia, err := os.Lstat(a)
	must(t, err)
	ib, err := os.Lstat(b)
	must(t, err)
	if !os.SameFile(ia, ib) {
		t.Errorf("%s and %s are two files", a, b)
	}
}

// TestTwice has two sources with one name. The second must not overwrite the first one's copy.
func TestTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a/file", "first")
	put(t, "b/file", "second")
	_, err := engine.Copy(t.Context(), nil, []option.Pair{{Dst: "to", Src: "a/file"}, {Dst: "to", Src: "b/file"}}, all)
	if !errors.Is(err, fault.ErrTwice) {
		t.Errorf("CopyAll = %v; want ErrTwice", err)
	}
	holds(t, "to", "first")
}

// TestMadeHardLinks makes hard links to all files except directories, and copies nothing.
func TestMadeHardLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/a/file", "content")
	put(t, "tree/file", "content")
	must(t, unix.Mkfifo("tree/fifo", 0o600), os.Symlink("file", "tree/symlink"))
	o := all
	o.Make = option.MakeHardLink
	copied(t, "copy", "tree", o)
	for _, name := range []string{"a/file", "file", "fifo", "symlink"} {
		sameFile(t, filepath.Join("tree", name), filepath.Join("copy", name))
	}
}

// TestLinksToWhatWasLeft has a file with two names. One of them exists at the destination as
// another file, and stays. The other name must not become a link to it.
func TestLinksToWhatWasLeft(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/a", "new")
	must(t, os.Link("tree/a", "tree/b"))
	put(t, "copy/a", "old")
	o := all
	o.Existing = option.Skip
	copied(t, "copy", "tree", o)
	holds(t, "copy/a", "old")
	holds(t, "copy/b", "new")
}

// TestOntoHardLinks copies files onto names of one file, without keeping links. Each name must then
// have the content of its source. cp writes all sources into the one file, and the last one
// remains.
func TestOntoHardLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	const files = 20
	put(t, "one", "old")
	for i := range files {
		content := strings.Repeat(string(rune('a'+i)), 300<<10)
		put(t, fmt.Sprintf("tree/%d/file", i), content)
		must(t, os.MkdirAll(fmt.Sprint("copy/", i), 0o755), os.Link("one", fmt.Sprintf("copy/%d/file", i)))
	}
	copied(t, "copy", "tree", option.Options{})
	for i := range files {
		holds(t, fmt.Sprintf("copy/%d/file", i), strings.Repeat(string(rune('a'+i)), 300<<10))
	}
}
