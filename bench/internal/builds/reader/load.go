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

// load is load.Load. Its kinds are package load's.
type load struct {
	Kind             string
	Size, Goroutines int
	Within           int64
}

func (l load) direct() bool { return l.Kind == "read-direct" }

// burst returns the number of operations between two reads of the phase.
func (l load) burst() int {
	switch l.Kind {
	case "read-cached", "read-stack", "scan-cached", "write-buffered":
		return max(1, 64<<10/l.Size)
	}
	return 1
}

// buffer returns the size of a client's buffer. Loads on whole files, and read-stack, have other
// buffers.
func (l load) buffer() int {
	switch l.Kind {
	case "hash-file", "zip-files", "read-files", "read-stack":
		return page
	}
	return l.Size
}

// phase is the phase of a slice. Operations count if they begin while it is counting.
type phase struct{ atomic.Int32 }

const (
	leading = iota
	counting
	over
)

// client is one goroutine of the load.
type client struct {
	buf    []byte
	op     operation
	random *rand.Rand
	ops    int
	err    error
}

// operation performs one operation. random selects its offset or file.
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

// operations is what a load consists of.
type operations struct {
	client func() operation // returns a client's operation
	end    func() error     // called after each slice
}

// noEnd is the end of loads that need none.
func noEnd() error { return nil }

// open prepares the load on the file at path. Loads on many files create them beside this program's
// file.
func (l load) open(path string) (operations, error) {
	switch l.Kind {
	case "read-files", "zip-files":
		return l.openFiles()
	case "hash-file":
		return operations{func() operation {
			return func([]byte, int64) error { return hash(path, int64(l.Size)) }
		}, noEnd}, nil
	}
	return l.openFile(path)
}

// openFile prepares a load on one open file.
func (l load) openFile(path string) (operations, error) {
	flag := os.O_RDWR
	if l.direct() {
		flag |= syscall.O_DIRECT
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return operations{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return operations{}, err
	}
	size := info.Size()
	if l.Within > 0 {
		size = min(size, l.Within)
	}
	blocks := size / int64(l.Size)
	if blocks == 0 {
		return operations{}, fmt.Errorf("%s is smaller than one operation", path)
	}
	if !l.direct() { // fill the page cache
		if _, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, size)); err != nil {
			return operations{}, err
		}
	}
	at := func(random int64) int64 { return random % blocks * int64(l.Size) }
	switch l.Kind {
	case "read-cached", "read-direct":
		op := func(b []byte, random int64) error { _, err := f.ReadAt(b, at(random)); return err }
		return operations{func() operation { return op }, noEnd}, nil
	case "read-stack":
		op := func(_ []byte, random int64) error {
			var b [page]byte
			_, err := f.ReadAt(b[:l.Size], at(random))
			return err
		}
		return operations{func() operation { return op }, noEnd}, nil
	case "write-buffered":
		op := func(b []byte, random int64) error { _, err := f.WriteAt(b, at(random)); return err }
		return operations{func() operation { return op }, f.Sync}, nil
	case "scan-cached":
		return operations{func() operation { return scan(path, blocks) }, noEnd}, nil
	}
	return operations{}, errors.New("unknown kind of load " + l.Kind)
}

// scan returns an operation that reads the blocks of a file in order, over and over.
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

// hash computes the SHA-256 of the first size bytes of a file.
func hash(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(sha256.New(), io.LimitReader(f, size))
	return err
}

// files is the number of files to read or to zip.
const files = 256

// openFiles creates the files, of the load's size.
func (l load) openFiles() (operations, error) {
	exe, err := os.Executable()
	if err != nil {
		return operations{}, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(exe), "files-")
	if err != nil {
		return operations{}, err
	}
	var names []string
	content := make([]byte, l.Size)
	random := rand.NewChaCha8([32]byte{})
	for i := range files {
		// The other half is zeros, so that a zip can compress it.
		random.Read(content[:len(content)/2])
		names = append(names, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], content, 0o666); err != nil {
			return operations{}, err
		}
	}
	if l.Kind == "read-files" {
		op := func(_ []byte, random int64) error { _, err := os.ReadFile(names[random%files]); return err }
		return operations{func() operation { return op }, noEnd}, nil
	}
	n := 0
	return operations{func() operation {
		n++
		to := filepath.Join(dir, fmt.Sprint("zip-", n))
		return func([]byte, int64) error { return pack(to, dir, names) }
	}, noEnd}, nil
}

// pack writes a compressed zip of the files.
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
