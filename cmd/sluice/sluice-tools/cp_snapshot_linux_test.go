package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// snapshot returns a description of each file below dir, by name.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	first := map[uint64]string{} // the first name of each inode with several names
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil && !os.IsPermission(err) {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		files[name] = strings.ReplaceAll(describe(path, info), dir, "DIR") + sameInode(first, name, info)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(files, ".")
	return files
}

// sameInode returns the number of a file's names and the first of them, "" if it has one.
func sameInode(first map[uint64]string, name string, info fs.FileInfo) string {
	st := info.Sys().(*syscall.Stat_t)
	if info.IsDir() || st.Nlink == 1 {
		return ""
	}
	if first[st.Ino] == "" {
		first[st.Ino] = name
	}
	return fmt.Sprintf(", %d names, as %s", st.Nlink, first[st.Ino])
}

func describe(path string, info fs.FileInfo) string {
	st := info.Sys().(*syscall.Stat_t)
	text := fmt.Sprintf("%v %d:%d %s%s", info.Mode(), st.Uid, st.Gid, when(info.ModTime()), xattrs(path))
	switch info.Mode().Type() {
	case 0:
		data, _ := os.ReadFile(path)
		if len(data) > 64 {
			data = fmt.Appendf(nil, "%d bytes %.8x", len(data), sha256.Sum256(data))
		}
		text += fmt.Sprintf(" %q", data)
		if st.Blocks*512 < st.Size {
			text += " with holes"
		}
	case fs.ModeSymlink:
		to, _ := os.Readlink(path)
		text += fmt.Sprintf(" -> %q", to)
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		text += fmt.Sprintf(" %d", st.Rdev)
	}
	return text
}

// when returns a time that a scene has set. Such times are long ago; for any other it
// returns "now".
func when(at time.Time) string {
	if time.Since(at) < 24*time.Hour {
		return "now"
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func xattrs(path string) string {
	names := make([]byte, 4096)
	n, err := unix.Llistxattr(path, names)
	if err != nil || n == 0 {
		return ""
	}
	text := ""
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00") {
		value := make([]byte, 4096)
		n, err := unix.Lgetxattr(path, name, value)
		text += fmt.Sprintf(" %s=%q", name, value[:max(n, 0)])
		if err != nil {
			text += err.Error()
		}
	}
	return text
}
