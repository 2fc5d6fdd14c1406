package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Sum summarizes a tree. Equal trees have equal sums.
type Sum struct {
	Files  int64  `json:"files"`
	Dirs   int64  `json:"dirs"`
	Bytes  int64  `json:"bytes"`
	Digest string `json:"digest"` // SHA-256 of names, sizes and contents
}

// SumOf reads a tree and returns its Sum. Entries other than files and directories are an error.
func SumOf(dir string) (Sum, error) {
	var s Sum
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			s.Dirs++
			fmt.Fprintf(h, "dir %q\n", name)
			return nil
		}
		n, err := addFile(h, path, name)
		s.Files++
		s.Bytes += n
		return err
	})
	s.Digest = hex.EncodeToString(h.Sum(nil))
	return s, err
}

// addFile adds a file to the digest, and returns its size.
func addFile(h hash.Hash, path, name string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file: %s", path, info.Mode())
	}
	fmt.Fprintf(h, "file %q %d\n", name, info.Size())
	return io.Copy(h, f)
}

// Differs returns the difference of o, the Sum of a copy, from s, or "".
func (s Sum) Differs(o Sum) string {
	switch {
	case s.Files != o.Files:
		return fmt.Sprintf("the copy has %d files, not %d", o.Files, s.Files)
	case s.Dirs != o.Dirs:
		return fmt.Sprintf("the copy has %d directories, not %d", o.Dirs, s.Dirs)
	case s.Bytes != o.Bytes:
		return fmt.Sprintf("the copy has %d bytes, not %d", o.Bytes, s.Bytes)
	case s.Digest != o.Digest:
		return "the copy has other names or contents"
	}
	return ""
}
