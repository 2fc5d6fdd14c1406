//go:build linux

package main

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// load is load.Load: kinds are those of package load.
type load struct {
	Kind             string
	Size, Goroutines int
	Within           int64
}

func (l load) direct() bool { return l.Kind == "read-direct" }

// burst is how many operations are made between two looks at the phase.
func (l load) burst() int {
	switch l.Kind {
	case "read-cached", "read-stack", "scan-cached", "write-buffered":
		return max(1, 64<<10/l.Size)
	}
	return 1
}

// buffer is how large a client's is. Files are read, and hashed, by calls that bring
// their own, and so does read-stack.
func (l load) buffer() int {
	switch l.Kind {
	case "hash-file", "zip-files", "read-files", "read-stack":
		return page
	}
	return l.Size
}

// phase is that of a slice. Operations count that begin while it is counting.
type phase struct{ atomic.Int32 }

const (
	leading = iota
	counting
	over
)

// client is one goroutine.
type client struct {
	buf    []byte
	op     operation
	random *rand.Rand
	ops    int
	err    error
}

// operation is made with a random number.
type operation func(buf []byte, random int64) error

func (l *client) seed(seed, client uint64) { l.random = rand.New(rand.NewPCG(seed, client)) }

func (l *client) run(now *phase, load load) {
	burst := load.burst()
	for {
		at := now.Load()
		if at == over {
			return
		}
		for range burst {
			if l.err = l.op(l.buf, l.random.Int64()); l.err != nil {
				return
			}
		}
		if at == counting {
			l.ops += burst
		}
	}
}

// doing is what a load does.
type doing struct {
	client func() operation // a goroutine's
	end    func() error
}

func nothing() error { return nil }

// open prepares the load on the file of that path; the files of others are made
// where this program is.
func (l load) open(path string) (doing, error) {
	switch l.Kind {
	case "read-files", "zip-files":
		return l.openFiles()
	case "hash-file":
		return doing{func() operation {
			return func([]byte, int64) error { return hash(path, int64(l.Size)) }
		}, nothing}, nil
	}
	flag := os.O_RDWR
	if l.direct() {
		flag |= syscall.O_DIRECT
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return doing{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return doing{}, err
	}
	size := info.Size()
	if l.Within > 0 {
		size = min(size, l.Within)
	}
	blocks := size / int64(l.Size)
	if blocks == 0 {
		return doing{}, fmt.Errorf("%s is smaller than one operation", path)
	}
	if !l.direct() { // into the page cache
		if _, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, size)); err != nil {
			return doing{}, err
		}
	}
	at := func(random int64) int64 { return random % blocks * int64(l.Size) }
	switch l.Kind {
	case "read-cached", "read-direct":
		op := func(b []byte, random int64) error { _, err := f.ReadAt(b, at(random)); return err }
		return doing{func() operation { return op }, nothing}, nil
	case "read-stack":
		op := func(_ []byte, random int64) error {
			var b [page]byte
			_, err := f.ReadAt(b[:l.Size], at(random))
			return err
		}
		return doing{func() operation { return op }, nothing}, nil
	case "write-buffered":
		op := func(b []byte, random int64) error { _, err := f.WriteAt(b, at(random)); return err }
		return doing{func() operation { return op }, f.Sync}, nil
	case "scan-cached":
		return doing{func() operation { return scan(path, blocks) }, nothing}, nil
	}
	return doing{}, errors.New("unknown kind of load " + l.Kind)
}

// scan reads blocks one after the other, round and round.
func scan(path string, blocks int64) operation {
	f, err := os.Open(path)
	left := blocks
	return func(b []byte, _ int64) error {
		if err != nil {
			return err
		}
		if left == 0 {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			left = blocks
		}
		left--
		_, err := io.ReadFull(f, b)
		return err
	}
}

// hash takes the SHA-256 of the first bytes of a file.
func hash(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(sha256.New(), io.LimitReader(f, size))
	return err
}

// files is how many there are to read, or to put into a zip.
const files = 256

// openFiles makes files of the load's size.
func (l load) openFiles() (doing, error) {
	exe, err := os.Executable()
	if err != nil {
		return doing{}, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(exe), "files-")
	if err != nil {
		return doing{}, err
	}
	var names []string
	content := make([]byte, l.Size)
	random := rand.NewChaCha8([32]byte{})
	for i := range files {
		random.Read(content[:len(content)/2]) // and half of it zeroes
		names = append(names, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], content, 0o666); err != nil {
			return doing{}, err
		}
	}
	if l.Kind == "read-files" {
		op := func(_ []byte, random int64) error { _, err := os.ReadFile(names[random%files]); return err }
		return doing{func() operation { return op }, nothing}, nil
	}
	n := 0
	return doing{func() operation {
		n++
		to := filepath.Join(dir, fmt.Sprint("zip-", n))
		return func([]byte, int64) error { return pack(to, dir, names) }
	}, nothing}, nil
}

// pack writes a zip of the files, compressed.
func pack(to, dir string, names []string) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, name := range names {
		w, err := z.Create(filepath.Base(name))
		if err != nil {
			return err
		}
		if err := add(w, name); err != nil {
			return err
		}
	}
	return errors.Join(z.Close(), f.Close())
}

func add(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
