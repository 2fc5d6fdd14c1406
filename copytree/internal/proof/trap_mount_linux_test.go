package proof_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	fs "github.com/sluiceio/sluice/internal/test/places"
)

// tool runs a command, and skips the test if it fails.
func tool(t *testing.T, command string, args ...string) string {
	t.Helper()
	return fs.Tool(t, command, args...)
}

// mounted mounts something on a new directory during the test.
func mounted(t *testing.T, command string, args ...string) (dir string) {
	t.Helper()
	needRoot(t)
	dir = filepath.Join(t.TempDir(), "mounted")
	must(t, os.Mkdir(dir, 0o755))
	tool(t, command, append(args, dir)...)
	t.Cleanup(func() { fs.Unmount(t, dir) })
	return dir
}

// places has the kinds of file systems on which the tests copy.
var places = map[string]func(t *testing.T) (dir string){
	"ext4":  func(t *testing.T) string { return formatted(t, 200<<20, "mkfs.ext4 -q -F") },
	"xfs":   func(t *testing.T) string { return formatted(t, 400<<20, "mkfs.xfs -q -f") },
	"btrfs": func(t *testing.T) string { return formatted(t, 400<<20, "mkfs.btrfs -q -f") },
	"tmpfs": func(t *testing.T) string { return mounted(t, "mount -t tmpfs -o size=200m sluice") },
	"ext4 with blocks of 1 KiB": func(t *testing.T) string {
		return formatted(t, 200<<20, "mkfs.ext4 -q -F -b 1024")
	},
	"xfs without reflink": func(t *testing.T) string {
		return formatted(t, 400<<20, "mkfs.xfs -q -f -m reflink=0")
	},
}

func formatted(t *testing.T, size int64, mkfs string) (dir string) {
	t.Helper()
	device := fs.Loop(t, size)
	return fs.Mount(t, device, mkfs, "")
}

// TestPlaces copies random trees on each kind of file system, in all ways.
func TestPlaces(t *testing.T) {
	needCp(t)
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			o := treegen.Able(dir)
			o.Nodes = 25
			first := firstSeed(t)
			for i, v := range variants {
				if v.shape != nil {
					continue
				}
				seed := first + uint64(i)
				proveOne(t, dir, seed, v, v.fit(treegen.Random(seed, o)))
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
}

// TestBetweenPlaces copies from one file system to another, which cannot share or link
// files.
func TestBetweenPlaces(t *testing.T) {
	from, to := places["tmpfs"](t), places["ext4"](t)
	o := treegen.Able(to)
	first := firstSeed(t)
	for i := range uint64(10) {
		src, dst := filepath.Join(from, fmt.Sprint(i)), filepath.Join(to, fmt.Sprint(i))
		must(t, treegen.Build(src, treegen.Random(first+i, o)))
		copied(t, dst, src, all)
		if found, err := treecmp.Compare(src, dst, equal&^treecmp.HolesKept); len(found) > 0 || err != nil {
			t.Errorf("seed %d: %v, %v", first+i, found, err)
		}
	}
	put(t, filepath.Join(from, "file"), "content")
	refused(t, filepath.Join(to, "clone"), filepath.Join(from, "file"), option.Options{Reflink: option.ReflinkAlways}, unix.EXDEV)
	refused(t, filepath.Join(to, "link"), filepath.Join(from, "file"), option.Options{Make: option.MakeHardLink}, unix.EXDEV)
	for _, name := range []string{"clone", "link"} {
		if _, err := os.Lstat(filepath.Join(to, name)); err == nil {
			t.Errorf("%s is there, of a copy that failed", name)
		}
	}
}

// TestFullDisk checks that no incomplete copy stays on a full disk. Nearly all tools leave one.
func TestFullDisk(t *testing.T) {
	dir := mounted(t, "mount -t tmpfs -o size=2m sluice")
	t.Chdir(t.TempDir())
	const size = 300 << 10
	for i := range 12 {
		put(t, fmt.Sprint("tree/", i), strings.Repeat("x", size))
	}
	r := refused(t, filepath.Join(dir, "copy"), "tree", option.Options{}, unix.ENOSPC)
	if r.Files == 0 || r.Failed == 0 {
		t.Errorf("%d files and %d failed; want some of both", r.Files, r.Failed)
	}
	whole := int64(0)
	for i := range 12 {
		info, err := os.Stat(filepath.Join(dir, "copy", fmt.Sprint(i)))
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil || info.Size() != size:
			t.Errorf("file %d has %d bytes, %v; want all or no file", i, info.Size(), err)
		default:
			whole++
		}
	}
	if whole != r.Files {
		t.Errorf("%d files are there; Result has %d", whole, r.Files)
	}
}

// TestFullDiskHoles fills the disk with the holes that SparseNever fills.
func TestFullDiskHoles(t *testing.T) {
	dir := mounted(t, "mount -t tmpfs -o size=2m sluice")
	t.Chdir(t.TempDir())
	put(t, "file", "")
	must(t, os.Truncate("file", 1<<30))
	dst := filepath.Join(dir, "copy")
	refused(t, dst, "file", option.Options{Sparse: option.SparseNever}, unix.ENOSPC)
	if _, err := os.Lstat(dst); err == nil {
		t.Error("there is a copy")
	}
	r := copied(t, dst, "file", option.Options{})
	if r.Holes != 1<<30 || r.Bytes != 0 {
		t.Errorf("%d bytes of holes and %d of data; want 1 GiB and none", r.Holes, r.Bytes)
	}
}

// TestReadOnlySource copies from a read-only file system, on which not even access times can be
// set.
func TestReadOnlySource(t *testing.T) {
	src := places["tmpfs"](t)
	tree := treegen.Random(3, treegen.Able(src))
	must(t, treegen.Build(filepath.Join(src, "tree"), tree))
	tool(t, "mount -o remount,ro", src)
	t.Chdir(t.TempDir())
	copied(t, "copy", filepath.Join(src, "tree"), all)
	if found, err := treecmp.Compare(filepath.Join(src, "tree"), "copy", kept); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
}

// TestReadOnlyDestination checks that a read-only destination is one error for each file.
func TestReadOnlyDestination(t *testing.T) {
	dst := places["tmpfs"](t)
	must(t, os.Mkdir(filepath.Join(dst, "copy"), 0o755))
	tool(t, "mount -o remount,ro", dst)
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	put(t, "tree/dir/other", "content")
	r := refused(t, filepath.Join(dst, "copy"), "tree", option.Options{}, unix.EROFS)
	if r.Files != 0 {
		t.Errorf("%d files were copied", r.Files)
	}
}

// TestIntoItselfByMount has a destination inside the source, through a second mount of the source
// that no path shows.
func TestIntoItselfByMount(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/a/file", "content")
	other := mounted(t, "mount --bind tree")
	refused(t, filepath.Join(other, "a/copy"), "tree", option.Options{}, fault.ErrIntoItself)
	if _, err := os.Lstat("tree/a/copy/a/copy"); err == nil {
		t.Error("the copy was copied")
	}
	refused(t, filepath.Join(other, "a/file"), "tree/a/file", option.Options{}, fault.ErrSameFile)
	holds(t, "tree/a/file", "content")
}

// TestLinksByMount copies a directory that is mounted a second time in the tree: each name of a
// file is found twice, and all copies are names of one file.
func TestLinksByMount(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	put(t, "tree/a/x", "content")
	must(t, os.Link("tree/a/x", "tree/a/y"))
	must(t, os.Mkdir("tree/b", 0o755))
	tool(t, "mount --bind tree/a", "tree/b")
	defer func() { fs.Unmount(t, "tree/b") }()
	copied(t, "copy", "tree", option.Options{Preserve: option.PreserveLinks})
	var s unix.Stat_t
	if must(t, unix.Stat("copy/a/x", &s)); s.Nlink != 4 {
		t.Errorf("the copy has %d names; want 4", s.Nlink)
	}
}

// TestOneFileSystem checks that a file system mounted in the tree is copied only without
// OneFileSystem.
func TestOneFileSystem(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	must(t, os.Mkdir("tree/mounted", 0o755))
	tool(t, "mount -t tmpfs sluice tree/mounted")
	defer func() { fs.Unmount(t, "tree/mounted") }() // no longer in use
	put(t, "tree/mounted/file", "content")
	copied(t, "whole", "tree", option.Options{})
	holds(t, "whole/mounted/file", "content")
	copied(t, "part", "tree", option.Options{OneFileSystem: true})
	if in, err := os.ReadDir("part/mounted"); len(in) != 0 || err != nil {
		t.Errorf("%v, %v; want an empty directory", in, err)
	}
}

// TestOneFileSystemToMounted copies a tree, with OneFileSystem, to a file system that is mounted in
// it. The walk does not enter it.
func TestOneFileSystemToMounted(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	put(t, "tree/dir/file", "content")
	must(t, os.Mkdir("tree/mounted", 0o755))
	tool(t, "mount -t tmpfs sluice tree/mounted")
	defer func() { fs.Unmount(t, "tree/mounted") }() // no longer in use
	one := option.Options{OneFileSystem: true}
	// New, old, mounted.
	for _, dst := range []string{"tree/mounted/copy", "tree/mounted/copy", "tree/mounted"} {
		copied(t, dst, "tree", one)
		holds(t, filepath.Join(dst, "dir/file"), "content")
		if in, err := os.ReadDir(filepath.Join(dst, "mounted")); len(in) != 0 || err != nil {
			t.Errorf("%s/mounted has %v, %v; want an empty directory", dst, in, err)
		}
	}
	refused(t, "tree/dir/copy", "tree", one, fault.ErrIntoItself)
	refused(t, "tree/mounted/dir/copy", "tree/mounted", one, fault.ErrIntoItself)
	for _, dst := range []string{"tree/dir/copy", "tree/mounted/dir/copy"} {
		if _, err := os.Lstat(dst); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v; want nothing there", dst, err)
		}
	}
}
