//go:build amd64 || arm64

package walk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// smallTree builds a tree with files of all kinds as dir/src.
func smallTree(t *testing.T, dir string, seed uint64) string {
	t.Helper()
	o := treegen.Able(dir)
	o.Nodes, o.MaxFile = 6, 100<<10
	src := filepath.Join(dir, "src")
	tree := append(treegen.Random(seed, o),
		treegen.Node{Path: "small", Kind: treegen.File, Mode: 0o640, Size: 10, Data: []treegen.Extent{{Len: 10, Fill: 7}}},
		treegen.Node{Path: "large", Kind: treegen.File, Mode: 0o600, Size: 100 << 10, Data: []treegen.Extent{{Len: 100 << 10, Fill: 8}}},
		treegen.Node{Path: "also small", Kind: treegen.HardLink, Target: "small"},
		treegen.Node{Path: "closed", Kind: treegen.Dir, Mode: 0o500},
		treegen.Node{Path: "link", Kind: treegen.Symlink, Target: "small"})
	if err := treegen.Build(src, tree); err != nil {
		t.Fatal(err)
	}
	return src
}

// memoryDir makes a directory in memory, where many small files cost little. If that is impossible,
// it makes a temporary directory.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// descriptors counts the open files and directories, without the Scheduler's, which opens some on
// demand.
func descriptors(t *testing.T) (n int) {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		to, err := os.Readlink("/proc/self/fd/" + name.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:") {
			n++
		}
	}
	return n
}

// counted makes the n-th call of a copy fail, once, and counts the calls.
type counted struct {
	n, calls atomic.Int64
	what     func() error
	op       atomic.Value // the call that failed
}

func (c *counted) fault(op string) error {
	if c.calls.Add(1) != c.n.Load() {
		return nil
	}
	c.op.Store(op)
	return c.what()
}

// keptAspects are the aspects that a copy with PreserveAll keeps.
const keptAspects = treecmp.Mode | treecmp.Owner | treecmp.Mtime | treecmp.Links | treecmp.Xattrs | treecmp.ACLs

// partly checks that no file in the copy is incomplete: except for directories, each is like its
// source or missing.
func partly(t *testing.T, dst, src string) {
	t.Helper()
	err := filepath.WalkDir(dst, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dst, path)
		if err != nil {
			return err
		}
		found, err := treecmp.Compare(path, filepath.Join(src, rel), 0)
		if len(found) > 0 {
			t.Errorf("%s is half a copy: %v", rel, found)
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

var faultWays = []struct {
	name string
	o    option.Options
	over bool // onto an existing copy
}{
	{"nothing kept", option.Options{Concurrency: 1}, false},
	{"all kept", option.Options{Preserve: option.PreserveAll, Concurrency: 1}, false},
	{"over", option.Options{Preserve: option.PreserveAll, Concurrency: 1}, true},
	{"synced", option.Options{Preserve: option.PreserveAll, Sync: option.SyncFiles, Concurrency: 1}, false},
	{"several workers", option.Options{Preserve: option.PreserveAll, Concurrency: 4}, false},
}

// TestFaults makes each call of a copy fail. The copy must return the error, unless it is complete
// without the call. No file may be incomplete, and nothing may stay open.
func TestFaults(t *testing.T) {
	for _, way := range faultWays {
		t.Run(way.name, func(t *testing.T) {
			if way.over && os.Getuid() != 0 {
				skip.For(t, skip.Root, "only root may write to all files that exist")
			}
			dir := memoryDir(t)
			src := smallTree(t, dir, seed.Of(t))
			step := stride(t, filepath.Join(dir, "first"), src, way.o)
			for n := int64(1); ; n += step {
				dst := filepath.Join(dir, fmt.Sprint("dst", n))
				if way.over {
					if _, err := run(t, t.Context(), at.New(), dst, src, way.o); err != nil {
						t.Fatal(err)
					}
				}
				if !oneFault(t, dst, src, way.o, n) {
					return
				}
				if t.Failed() {
					t.Fatalf("call %d", n)
				}
			}
		})
	}
}

// maxTried is about the number of calls that are tried. If a copy has more calls, some are left
// out.
const maxTried = 300

// stride copies without a fault. It returns the number of calls from one tried call to the next.
func stride(t *testing.T, dst, src string, o option.Options) int64 {
	t.Helper()
	c := &counted{}
	k := at.New()
	k.Fault = c.fault
	if _, err := run(t, t.Context(), k, dst, src, o); err != nil {
		t.Fatal(err)
	}
	return 1 + c.calls.Load()/maxTried
}

// oneFault makes the n-th call fail, and reports whether there were so many calls.
func oneFault(t *testing.T, dst, src string, o option.Options, n int64) bool {
	c := &counted{what: func() error { return syscall.EIO }}
	c.n.Store(n)
	k := at.New()
	k.Fault = c.fault
	before := descriptors(t)
	_, err := run(t, context.Background(), k, dst, src, o)
	if after := descriptors(t); after != before {
		t.Errorf("%s failed: %d files were open, %d are", c.op.Load(), before, after)
	}
	switch {
	case err == nil:
		found, cmpErr := treecmp.Compare(src, dst, aspects(o))
		if len(found) > 0 || cmpErr != nil {
			t.Errorf("%s failed, the error is nil, and the copy differs: %v, %v", c.op.Load(), found, cmpErr)
		}
	case !errors.Is(err, syscall.EIO):
		t.Errorf("%s failed with EIO: Copy = %v", c.op.Load(), err)
	}
	partly(t, dst, src)
	return c.calls.Load() >= n
}

// TestCancel ends the context at each call of a copy. Files that were begun must be removed or
// complete, the error must be the context's cause, and nothing may stay open.
func TestCancel(t *testing.T) {
	for _, way := range faultWays[:2] {
		t.Run(way.name, func(t *testing.T) {
			dir := memoryDir(t)
			src := smallTree(t, dir, seed.Of(t))
			step := stride(t, filepath.Join(dir, "first"), src, way.o)
			cause := errors.New("enough")
			for n := int64(1); ; n += step {
				ctx, cancel := context.WithCancelCause(context.Background())
				c := &counted{what: func() error { cancel(cause); return nil }}
				c.n.Store(n)
				k := at.New()
				k.Fault = c.fault
				before := descriptors(t)
				dst := filepath.Join(dir, fmt.Sprint("dst", n))
				r, err := run(t, ctx, k, dst, src, way.o)
				cancel(nil)
				if c.calls.Load() < n {
					return
				}
				if !errors.Is(err, cause) || r.Failed > 0 {
					t.Fatalf("call %d: Copy = %d failed, %v; want the context's cause", n, r.Failed, err)
				}
				if after := descriptors(t); after != before {
					t.Fatalf("call %d: %d descriptors were open, %d are", n, before, after)
				}
				partly(t, dst, src)
			}
		})
	}
}

// TestForceWhereNothingIsRemoved checks Force: a file that cannot be opened is removed. If the
// removal fails, the copy must have its error.
func TestForceWhereNothingIsRemoved(t *testing.T) {
	busy := 0
	for fails := range 12 { // one of these opens is for the destination's file
		dir := t.TempDir()
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		write(t, filepath.Join(src, "file"), "new")
		write(t, filepath.Join(dst, "file"), "old")
		k := at.New()
		opens := 0
		removals := 0
		k.Fault = func(op string) error {
			switch op {
			case "unlink":
				removals++
				return syscall.EBUSY
			case "open":
				if opens++; opens == fails+1 {
					return syscall.ETXTBSY
				}
			}
			return nil
		}
		_, err := run(t, t.Context(), k, dst, src, option.Options{Concurrency: 1, Force: true})
		if removals > 0 {
			busy++
			if !errors.Is(err, syscall.EBUSY) {
				t.Errorf("Copy = %v when open %d failed and the file could not be removed; want EBUSY", err, fails)
			}
		}
	}
	if busy != 1 {
		t.Errorf("%d of the opens were of a file that Force removes; want 1", busy)
	}
}

// TestFull has no room left from some write on. The copy must report that once, and begin nothing
// more.
func TestFull(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} {
		dir := t.TempDir()
		src := filepath.Join(dir, "src")
		for i := range 20 {
			write(t, filepath.Join(src, fmt.Sprint("d", i), "file"), "content")
		}
		var writes, after atomic.Int64
		k := at.New()
		k.Fault = func(op string) error {
			if op == "mkdir" && writes.Load() > 6 {
				after.Add(1)
			}
			if op == "write" && writes.Add(1) > 5 {
				return errno
			}
			return nil
		}
		var reported []*report.Error
		dst := filepath.Join(dir, "dst")
		_, err := run(t, t.Context(), k, dst, src, option.Options{
			Concurrency: 2,
			OnError:     func(e *report.Error) { reported = append(reported, e) },
		})
		if len(reported) != 1 || !errors.Is(err, errno) || reported[0].Op != "write" {
			t.Errorf("OnError got %v, Copy = %v; want %v, once", reported, err, errno)
		}
		if after.Load() > 2 { // another worker was about to make them
			t.Errorf("%d directories were made on a full disk", after.Load())
		}
		partly(t, dst, src)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// aspects returns the aspects that a copy keeps.
func aspects(o option.Options) treecmp.Aspect {
	if o.Preserve == option.PreserveAll {
		return keptAspects
	}
	return 0
}
