package proof_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// unreadable copies ./tree to ./copy as user nobody. It has so few descriptors that directories are
// opened again, and a umask that makes new directories unreadable.
func init() {
	testenv.Children["unreadable"] = func() error {
		limit := unix.Rlimit{Cur: 256, Max: 256}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
		if err := becomeNobody(); err != nil {
			return err
		}
		unix.Umask(0o444)
		preserve, err := strconv.ParseUint(os.Getenv("PRESERVE"), 10, 64)
		if err != nil {
			return err
		}
		sync, err := strconv.Atoi(os.Getenv("SYNC"))
		if err != nil {
			return err
		}
		o := option.Options{Preserve: option.Preserve(preserve), Sync: option.Sync(sync)}
		_, err = copyOne(context.Background(), "copy", "tree", o)
		return err
	}
}

// deep is the depth of the tree that child unreadable copies, below returns its directories.
const deep = 100

func below(top string, depth int) string { return top + strings.Repeat("/d", depth) }

// copyUnreadable runs child unreadable with each kind of sync, in an unreadable directory, and then
// check. If merge is set, the directories of the copy exist, and their owner cannot read them.
func copyUnreadable(t *testing.T, preserve option.Preserve, merge bool, check func(t *testing.T)) {
	for _, sync := range []option.Sync{option.SyncNone, option.SyncFileSystem, option.SyncFiles} {
		t.Run(fmt.Sprint("sync ", sync), func(t *testing.T) {
			nobodysDir(t)
			old := time.Unix(1e9, 123456789)
			for i := range deep {
				put(t, filepath.Join(below("tree", i), "file"), "content")
			}
			for i := deep - 1; i >= 0; i-- {
				must(t, os.Chtimes(below("tree", i), old, old))
				if merge {
					dir := below("copy", i)
					must(t, os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o333), os.Chown(dir, 65534, 65534))
				}
			}
			must(t, os.Chmod(".", 0o333))
			out, ok := testenv.Child(t, "unreadable", fmt.Sprint("PRESERVE=", uint64(preserve)), fmt.Sprint("SYNC=", int(sync)))
			if !ok {
				t.Fatal(out)
			}
			for i := range deep {
				holds(t, filepath.Join(below("copy", i), "file"), "content")
			}
			check(t)
		})
	}
}

// TestUnreadableCopy copies into existing directories that cannot be read.
func TestUnreadableCopy(t *testing.T) {
	copyUnreadable(t, 0, true, func(t *testing.T) {
		hasMode(t, "copy", 0o333)
		hasMode(t, below("copy", deep-1), 0o333)
	})
}

// TestUnreadableCopyAttributes checks that unreadable directories get their sources' attributes.
func TestUnreadableCopyAttributes(t *testing.T) {
	copyUnreadable(t, option.PreserveAll, true, func(t *testing.T) {
		for i := range deep {
			hasMode(t, below("copy", i), 0o755)
			from, err := os.Stat(below("tree", i))
			must(t, err)
			to, err := os.Stat(below("copy", i))
			must(t, err)
			if !to.ModTime().Equal(from.ModTime()) {
				t.Fatalf("%s is of %v; want %v", below("copy", i), to.ModTime(), from.ModTime())
			}
		}
	})
}

// TestUnreadableNewCopy checks that new directories are filled and synced before the umask makes
// them unreadable.
func TestUnreadableNewCopy(t *testing.T) {
	copyUnreadable(t, 0, false, func(t *testing.T) { hasMode(t, below("copy", deep-1), 0o311) })
}
