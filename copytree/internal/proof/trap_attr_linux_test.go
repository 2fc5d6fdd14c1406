package proof_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var all = option.Options{Preserve: option.PreserveAll}

// TestSuidIsKept copies files of another owner. chown(2) removes suid and sgid, so it must come
// before chmod(2). otiai10/copy has the wrong order.
func TestSuidIsKept(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	must(t, os.Chown("tree/file", 1000, 1001), unix.Chmod("tree/file", 0o6755))
	copied(t, "copy", "tree", all)
	hasMode(t, "copy/file", 0o6755)
}

// hasMode checks the lower twelve bits of a mode.
func hasMode(t *testing.T, path string, want uint32) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || st.Mode&0o7777 != want {
		t.Errorf("%s has mode %04o, %v; want %04o", path, st.Mode&0o7777, err, want)
	}
}

// unprivileged copies with PreserveAll as user nobody, in a separate process.
func init() {
	testenv.Children["unprivileged"] = func() error {
		if err := becomeNobody(); err != nil {
			return err
		}
		r, err := copyOne(context.Background(), "copy", "tree", all)
		fmt.Printf("%d failed", r.Failed)
		for _, e := range r.Errors {
			fmt.Printf("; %v", e)
		}
		if err == nil {
			fmt.Print("; no error")
		}
		return nil
	}
}

// becomeNobody makes the process one of user nobody.
func becomeNobody() error {
	return errors.Join(unix.Setgroups(nil), unix.Setresgid(65534, 65534, 65534), unix.Setresuid(65534, 65534, 65534))
}

// asNobody copies ./tree to ./copy as user nobody.
func asNobody(t *testing.T) (said string) {
	t.Helper()
	out, ok := testenv.Child(t, "unprivileged")
	if !ok {
		t.Fatal(out)
	}
	return out
}

// nobodysDir makes a directory that user nobody may write to, and changes into it.
func nobodysDir(t *testing.T) {
	t.Helper()
	needRoot(t)
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777))
	t.Chdir(dir)
}

// TestSuidOfOthersIsDropped has a user that copies another owner's file and cannot give the copy
// away. With suid it would run as the user.
func TestSuidOfOthersIsDropped(t *testing.T) {
	nobodysDir(t)
	put(t, "tree/file", "content")
	must(t, unix.Chmod("tree/file", 0o6755))
	t.Log(asNobody(t))
	hasMode(t, "copy/file", 0o755)
}

// TestUnreadable checks that an unreadable file is an error, and that the other files are copied.
// Several tools stop there.
func TestUnreadable(t *testing.T) {
	nobodysDir(t)
	for _, name := range []string{"a/1", "a/2", "b/3", "secret", "closed/5", "z"} {
		put(t, "tree/"+name, name)
	}
	must(t, os.Chmod("tree/secret", 0o600), os.Chmod("tree/a/1", 0), os.Chmod("tree/closed", 0o700))
	said := asNobody(t)
	if want := "3 failed"; len(said) < len(want) || said[:len(want)] != want {
		t.Errorf("the copy said %q; want 3 failed", said)
	}
	for _, name := range []string{"a/2", "b/3", "z"} {
		holds(t, "copy/"+name, name)
	}
	for _, name := range []string{"a/1", "secret", "closed/5"} {
		if _, err := os.Lstat("copy/" + name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("copy/%s: %v; want nothing there", name, err)
		}
	}
}

// TestReadOnlyDirectories checks that directories are filled although their modes forbid it to the
// user. In the end they must have their modes and times.
func TestReadOnlyDirectories(t *testing.T) {
	nobodysDir(t)
	put(t, "tree/a/b/file", "content")
	old := time.Unix(1e9, 123456789)
	for _, dir := range []string{"tree/a/b", "tree/a", "tree"} {
		must(t, os.Chmod(dir, 0o555), os.Chtimes(dir, old, old))
	}
	if said := asNobody(t); said != "0 failed; no error" {
		t.Error(said)
	}
	for _, dir := range []string{"copy/a/b", "copy/a", "copy"} {
		hasMode(t, dir, 0o555)
		if info, err := os.Stat(dir); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s: %v, %v; want %v", dir, info.ModTime(), err, old)
		}
	}
}

// TestNoWindow watches copies while they are made. They must never be open to users that may not
// read the source. They must not be open to a group before it is the right group.
func TestNoWindow(t *testing.T) {
	was := unix.Umask(0)
	defer unix.Umask(was)
	for _, o := range []option.Options{{}, all} {
		t.Chdir(t.TempDir())
		const files = 30
		for i := range files {
			put(t, fmt.Sprint("tree/dir/", i), string(make([]byte, 300<<10)))
			must(t, os.Chmod(fmt.Sprint("tree/dir/", i), 0o600))
		}
		must(t, os.Chmod("tree/dir", 0o700))
		var wide, seen int
		stop := swapper(t, func(i int) {
			var st unix.Stat_t
			name := "copy/dir"
			if i%4 != 0 {
				name = fmt.Sprint("copy/dir/", i%files)
			}
			if unix.Lstat(name, &st) == nil {
				seen++
				if st.Mode&0o077 != 0 {
					wide++
				}
			}
		})
		for range 5 {
			copied(t, "copy", "tree", o)
			must(t, os.RemoveAll("copy"))
		}
		stop()
		if wide > 0 || seen == 0 {
			t.Errorf("of %d looks, %d found a file that others may read", seen, wide)
		}
	}
}

// TestGroupWindow is TestNoWindow for files of other owners that their group may read. The copying
// user's group may not.
func TestGroupWindow(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	const files = 30
	for i := range files {
		put(t, fmt.Sprint("tree/", i), string(make([]byte, 300<<10)))
		must(t, os.Chown(fmt.Sprint("tree/", i), 1000, 1001), os.Chmod(fmt.Sprint("tree/", i), 0o660))
	}
	var wide, seen int
	stop := swapper(t, func(i int) {
		var st unix.Stat_t
		if unix.Lstat(fmt.Sprint("copy/", i%files), &st) == nil {
			seen++
			if st.Mode&0o070 != 0 && st.Gid != 1001 {
				wide++
			}
		}
	})
	for range 5 {
		copied(t, "copy", "tree", all)
		must(t, os.RemoveAll("copy"))
	}
	stop()
	if wide > 0 || seen == 0 {
		t.Errorf("of %d looks, %d found a file that the wrong group may read", seen, wide)
	}
}

// TestSymlinkTargets checks that the copy of a symbolic link does not change the link's target.
// chmod(2) follows links.
func TestSymlinkTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "target", "content")
	must(t, os.Chmod("target", 0o600), os.Mkdir("tree", 0o755), os.Symlink("../target", "tree/link"))
	var was, now unix.Stat_t
	must(t, unix.Stat("target", &was))
	copied(t, "copy", "tree", all)
	must(t, unix.Stat("target", &now))
	if was != now {
		t.Errorf("the target is %+v; was %+v", now, was)
	}
}

// TestInheritedACL copies into a directory that gives new files an ACL. With PreserveAll the copies
// must lack it; otherwise they must be like cp's.
func TestInheritedACL(t *testing.T) {
	needCp(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if !treegen.Able(dir).ACLs {
		skip.For(t, skip.ACL, "no ACLs here")
	}
	inherit := treegen.ACL{{Tag: treegen.ACLUserObj, Perm: 7}, {Tag: treegen.ACLUser, Perm: 7, ID: 5}, {Tag: treegen.ACLGroupObj, Perm: 7}, {Tag: treegen.ACLMask, Perm: 7}, {Tag: treegen.ACLOther}}
	o := treegen.Able(dir)
	must(t, treegen.Build("source", treegen.Random(1, o)))
	for i, v := range variants[:2] {
		ours, theirs := fmt.Sprint("ours", i), fmt.Sprint("theirs", i)
		for _, at := range []string{ours, theirs} {
			must(t, treegen.Build(at, treegen.Tree{{Mode: 0o755, Default: inherit}}))
		}
		if _, err := within(t, ours+"/copy", "source", v.o); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("cp", v.cp, "source", theirs+"/copy").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if found, err := treecmp.Compare(theirs+"/copy", ours+"/copy", v.like&^treecmp.Atime); len(found) > 0 || err != nil {
			t.Errorf("%s: %v, %v", v.name, found, err)
		}
	}
}

// TestInheritedReadOnly copies into a directory whose ACL forbids the owner to write to new
// directories.
func TestInheritedReadOnly(t *testing.T) {
	nobodysDir(t)
	put(t, "tree/a/b/file", "content")
	must(t, os.Chmod("tree/a", 0o750), os.Chmod("tree/a/b", 0o750), os.Chown("tree/a", 65534, 65534), os.Chown("tree/a/b", 65534, 65534))
	const entry = "\xff\xff\xff\xff"
	acl := "\x02\x00\x00\x00" + "\x01\x00\x05\x00" + entry + "\x04\x00\x05\x00" + entry + "\x20\x00\x05\x00" + entry
	if err := unix.Setxattr(".", "system.posix_acl_default", []byte(acl), 0); err != nil {
		skip.Forf(t, skip.ACL, "no ACLs here: %v", err)
	}
	if said := asNobody(t); said != "0 failed; no error" {
		t.Error(said)
	}
	holds(t, "copy/a/b/file", "content")
	hasMode(t, "copy/a/b", 0o750)
}

// TestUnsearchableAncestor copies in a directory below one that the user may not search.
func TestUnsearchableAncestor(t *testing.T) {
	nobodysDir(t)
	put(t, "closed/open/tree/file", "content")
	must(t, os.Chmod("closed/open", 0o777), os.Chmod("closed", 0o700))
	t.Chdir("closed/open")
	if said := asNobody(t); said != "0 failed; no error" {
		t.Error(said)
	}
	holds(t, "copy/file", "content")
}
