package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name       string // with slashes
	text       []byte
	executable bool
}

// mode returns the entry's permissions, which do not depend on the umask.
func (e entry) mode() int64 {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// tarred returns a compressed tar file. Its bytes only depend on the arguments.
func tarred(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.text)), Mode: e.mode(),
			ModTime: at.UTC().Truncate(time.Second), Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.text); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), z.Close())
	return out.Bytes(), err
}

// zipped returns a zip file. Its bytes only depend on the arguments.
func zipped(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at.UTC().Truncate(2 * time.Second)})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
