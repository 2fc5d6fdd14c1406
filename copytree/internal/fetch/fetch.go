// Package fetch reads the beginnings of many files into the page cache.
//
//	f := fetch.New(drv)
//	defer f.Close()
//	err := f.Fetch(fds)
//
// It reads one byte of each file, and the kernel then reads ahead the file's first pages. One
// system call submits all reads. So the block layer can merge the requests of files that are
// neighbours on the disk, as files of a directory often are. It cannot merge a readahead(2) for
// each file. The measurements are in docs/decisions/0019-copying-trees.md.
//
// # Concurrency
//
// A Fetcher is used by one goroutine.
package fetch

import "github.com/sluiceio/sluice/internal/driver"

// Depth is the most reads in flight.
const Depth = 256

// Fetcher fetches files.
type Fetcher struct {
	drv      driver.Driver
	ops      [Depth]driver.Op
	sink     [Depth]byte // the bytes that are read, one for each of ops
	free     []*driver.Op
	batch    []*driver.Op
	done     [Depth]*driver.Op
	inFlight int // operations in the driver
}

// New returns a Fetcher that uses drv. Its Close closes drv.
func New(drv driver.Driver) *Fetcher {
	f := &Fetcher{drv: drv}
	for i := range f.ops {
		f.ops[i].Code, f.ops[i].Buf = driver.Read, f.sink[i:i+1]
		f.free = append(f.free, &f.ops[i])
	}
	return f
}

// Fetch begins to read the files. It returns when at most half of the reads are in flight. The
// caller may then close the descriptors. Unreadable files are ignored. An error is the driver's;
// after it the Fetcher can only be closed.
func (f *Fetcher) Fetch(fds []int) error {
	for rest := fds; len(rest) > 0; {
		if len(f.free) == 0 {
			if err := f.reap(1); err != nil {
				return err
			}
		}
		n := min(len(rest), len(f.free))
		if err := f.submit(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return f.reap(f.inFlight - len(fds)/2)
}

// submit begins to read files, at most as many as there are free operations. When it returns, the
// kernel has all requests. The caller may then close a descriptor: its request keeps the file.
func (f *Fetcher) submit(fds []int) error {
	f.batch = f.batch[:0]
	for _, fd := range fds {
		last := len(f.free) - 1
		op := f.free[last]
		f.free = f.free[:last]
		op.FD = int32(fd)
		f.batch = append(f.batch, op)
	}
	for rest := f.batch; len(rest) > 0; {
		n, err := f.drv.Submit(rest)
		f.inFlight += n
		if err != nil {
			return err
		}
		if rest = rest[n:]; len(rest) > 0 {
			if err := f.reap(1); err != nil { // the driver is full
				return err
			}
		}
	}
	return nil
}

// reap takes completed operations from the driver, and waits for at least need.
func (f *Fetcher) reap(need int) error {
	n, err := f.drv.Reap(f.done[:], max(0, need))
	f.free = append(f.free, f.done[:n]...)
	f.inFlight -= n
	return err
}

// Close waits for the reads in flight, and closes the driver.
func (f *Fetcher) Close() error { return f.drv.Close() }
