package proof_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
)

// meeting has files. One is x in the source, and one is x in the destination. The
// targets of their links are beside them.
var meeting = map[string][]treegen.Node{
	"nothing":              nil,
	"file":                 {{Path: "x", Kind: treegen.File, Mode: 0o640, Size: 5000, Data: []treegen.Extent{{Len: 5000, Fill: 1}}}},
	"shorter file":         {{Path: "x", Kind: treegen.File, Mode: 0o604, Size: 7, Data: []treegen.Extent{{Len: 7, Fill: 2}}}},
	"read-only file":       {{Path: "x", Kind: treegen.File, Mode: 0o444, Size: 9, Data: []treegen.Extent{{Len: 9, Fill: 3}}}},
	"one of two names":     {{Path: "x", Kind: treegen.File, Mode: 0o644, Size: 9, Data: []treegen.Extent{{Len: 9, Fill: 3}}}, {Path: "y", Kind: treegen.HardLink, Target: "x"}},
	"empty directory":      {{Path: "x", Mode: 0o711}},
	"full directory":       {{Path: "x", Mode: 0o751}, {Path: "x/file", Kind: treegen.File, Mode: 0o600}},
	"symlink to file":      {{Path: "x", Kind: treegen.Symlink, Target: "beside"}},
	"symlink to directory": {{Path: "x", Kind: treegen.Symlink, Target: "room"}},
	"dangling symlink":     {{Path: "x", Kind: treegen.Symlink, Target: "nowhere"}},
	"symlink to itself":    {{Path: "x", Kind: treegen.Symlink, Target: "x"}},
	"FIFO":                 {{Path: "x", Kind: treegen.FIFO, Mode: 0o622}},
	"socket":               {{Path: "x", Kind: treegen.Socket, Mode: 0o700}},
	"device":               {{Path: "x", Kind: treegen.CharDevice, Mode: 0o666, Major: 1, Minor: 3}},
}

// intended has the cases that end differently than in GNU cp, with the reason. A case in this list
// that ends as in cp fails the test. The first entry with matching ways, source and destination
// counts; "" matches everything.
var intended = []struct{ ways, src, dst, why string }{
	{"all, nothing, forced", files, "symlink to file, symlink to directory, dangling symlink", "cp writes through a symbolic link that stands at the destination, which whoever may put one there can lead anywhere; it is replaced"},
	{"all, nothing", files, "symlink to itself", "cp fails as it follows the link; it is replaced"},
	{"all, nothing, forced", files, "FIFO", stuck},
	{"all, nothing", files, "socket", "cp cannot open a socket; it is replaced"},
	{"all, nothing, forced", files, "device", "cp writes into the device; it is replaced"},
	{"nothing", "one of two names", "one of two names", "cp writes both into the one file that has their names; each gets its own"},
	{"skipped, older", files, "dangling symlink, symlink to itself", "cp follows the link and fails; it is there, and left"},
	{"older", "one of two names", "symlink to file, symlink to directory, FIFO, socket, device", "cp links the other names to what it has left, which is no file; they are copied"},
	{"older", "one of two names", "file, shorter file, read-only file", "cp replaces a file that is newer than its source, if another name of that was copied before; it is left"},
	{"older", "one of two names", "empty directory, full directory", "cp leaves out all names of a file that it has left out one of; the others are copied"},
}

// stuck is the reason of cases in which cp is not run.
const stuck = "cp opens the FIFO and waits for a reader; it is replaced"

const files = "file, shorter file, read-only file, one of two names"

// why returns the reason why a case ends differently than in cp, or "" if it should not.
func why(way, src, dst string) string {
	matches := func(list, name string) bool {
		return list == "" || slices.Contains(strings.Split(list, ", "), name)
	}
	for _, i := range intended {
		if matches(i.ways, way) && matches(i.src, src) && matches(i.dst, dst) {
			return i.why
		}
	}
	return ""
}

// TestConflicts copies each of these files onto each of them, as cp -a and cp -r do.
func TestConflicts(t *testing.T) {
	needCp(t)
	dir := memory(t)
	root := treegen.Able(dir).Root
	for _, how := range []struct {
		name, cp string
		o        option.Options
		like     treecmp.Aspect
	}{
		{"all", "-a", option.Options{Preserve: option.PreserveAll}, kept &^ treecmp.Atime &^ treecmp.Mtime},
		{"nothing", "-r", option.Options{}, plain},
		{"forced", "-a -f", option.Options{Preserve: option.PreserveAll, Force: true}, kept &^ treecmp.Atime &^ treecmp.Mtime},
		{"removed", "-a --remove-destination", option.Options{Preserve: option.PreserveAll, Unlink: true}, kept &^ treecmp.Atime &^ treecmp.Mtime},
		{"skipped", "-a -n", option.Options{Preserve: option.PreserveAll, Existing: option.Skip}, kept &^ treecmp.Atime &^ treecmp.Mtime},
		{"older", "-a -u", option.Options{Preserve: option.PreserveAll, Existing: option.Older}, kept &^ treecmp.Atime &^ treecmp.Mtime},
	} {
		t.Run(how.name, func(t *testing.T) {
			for src := range meeting {
				for dst := range meeting {
					if !root && (src == "device" || dst == "device") {
						continue
					}
					m := meet{t, filepath.Join(dir, how.name, src+" onto "+dst), src, dst}
					if why := why(how.name, src, dst); why == stuck {
						m.alone(how.o)
					} else {
						m.end(m.run(how.cp, how.o, how.like), why)
					}
				}
			}
		})
	}
}

// TestDryRun checks that a dry run counts the same as a real copy, and touches nothing.
func TestDryRun(t *testing.T) {
	for name, c := range map[string]struct {
		o               option.Options
		copied, skipped int64
	}{
		"overwritten": {option.Options{}, 2, 0},
		"skipped":     {option.Options{Existing: option.Skip}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "tree/new", "content")
			put(t, "tree/old", "content")
			put(t, "copy/old", "what was there before")
			c.o.DryRun = true
			r := copied(t, "copy", "tree", c.o)
			if r.Files != c.copied || r.Skipped != c.skipped || r.Bytes != c.copied*int64(len("content")) {
				t.Errorf("%d files of %d bytes, %d skipped; want %d of 7 bytes each, %d", r.Files, r.Bytes, r.Skipped, c.copied, c.skipped)
			}
			holds(t, "copy/old", "what was there before")
			if _, err := os.Lstat("copy/new"); !os.IsNotExist(err) {
				t.Errorf("Lstat of a file that is not to be made = %v; want ErrNotExist", err)
			}
		})
	}
}

// meet is one copy onto an existing file.
type meet struct {
	*testing.T
	dir, src, dst string
}

// run copies with cp and with Copy, and returns the differences between the copies.
func (m meet) run(cp string, o option.Options, like treecmp.Aspect) string {
	m.build("source", m.src)
	m.build("theirs", m.dst)
	m.build("ours", m.dst)
	args := append(strings.Fields(cp), "-T", m.at("source"), m.at("theirs"))
	out, cpErr := exec.Command("cp", args...).CombinedOutput()
	_, err := within(m.T, m.at("ours"), m.at("source"), o)
	if (err == nil) != (cpErr == nil) {
		return fmt.Sprintf("Copy = %v; cp = %v: %s", err, cpErr, out)
	}
	found, err := treecmp.Compare(m.at("theirs"), m.at("ours"), like)
	if err != nil {
		m.Fatal(err)
	}
	if len(found) > 0 {
		return fmt.Sprint(found)
	}
	return ""
}

// alone copies with Copy, and compares the copy with its source.
func (m meet) alone(o option.Options) {
	m.build("source", m.src)
	m.build("ours", m.dst)
	copied(m.T, m.at("ours"), m.at("source"), o)
	if found, err := treecmp.Compare(m.at("source/x"), m.at("ours/x"), 0); len(found) > 0 || err != nil {
		m.Errorf("%s onto %s: %v, %v", m.src, m.dst, found, err)
	}
}

// end reports an unintended difference, and an intended one that does not occur. The order of two
// names depends on the file system, and so does the name that meets the existing file.
func (m meet) end(what, why string) {
	switch {
	case what != "" && why == "":
		m.Errorf("%s onto %s: %s", m.src, m.dst, what)
	case what == "" && why != "" && m.src != "one of two names":
		m.Errorf("%s onto %s: no difference; the table says that %s", m.src, m.dst, why)
	}
}

func (m meet) at(name string) string { return filepath.Join(m.dir, name) }

// build makes a directory with x and the targets of its links.
func (m meet) build(name, what string) {
	m.Helper()
	tree := treegen.Tree{{Mode: 0o755}}
	if name != "source" {
		tree = append(tree, treegen.Node{Path: "beside", Kind: treegen.File, Mode: 0o600, Size: 3, Data: []treegen.Extent{{Len: 3, Fill: 9}}}, treegen.Node{Path: "room", Mode: 0o700})
	}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		m.Fatal(err)
	}
	if err := treegen.Build(m.at(name), append(tree, meeting[what]...)); err != nil {
		m.Fatal(err)
	}
}
