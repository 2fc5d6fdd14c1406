// Package fetch brings the beginnings of many files into the page cache.
//
//	f := fetch.New(drv)
//	defer f.Close()
//	err := f.Fetch(fds)
//
// One byte of each file is read, by which the kernel reads ahead the file's
// first pages. The reads are handed over in one system call, and the block
// layer makes one request of files that are neighbours on the disk, as those of
// a directory often are; readahead(2) of each makes one for each. Measured:
// docs/decisions/0019-copying-trees.md.
package fetch

import "github.com/sluiceio/sluice/internal/driver"

// Depth is how many files are on their way at once, at most.
const Depth = 256

// Fetcher fetches for one goroutine.
type Fetcher struct {
	drv    driver.Driver
	ops    [Depth]driver.Op
	sink   [Depth]byte // what is read: a byte for each of ops
	free   []*driver.Op
	batch  []*driver.Op
	done   [Depth]*driver.Op
	flying int // operations that the driver has
}

// New returns a Fetcher on drv, which it owns.
func New(drv driver.Driver) *Fetcher {
	f := &Fetcher{drv: drv}
	for i := range f.ops {
		f.ops[i].Code, f.ops[i].Buf = driver.Read, f.sink[i:i+1]
		f.free = append(f.free, &f.ops[i])
	}
	return f
}

// Fetch has the files be fetched, and waits until no more than half as many are
// on their way. The descriptors may be closed when it returns. What cannot be
// read is passed over; an error is of the driver, which can no longer be used.
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
	return f.reap(f.flying - len(fds)/2)
}

// submit begins to fetch as many files as there are free operations, or fewer.
// The driver has them when it returns: a request for a descriptor that is closed
// afterwards is still for that file.
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
		f.flying += n
		if err != nil {
			return err
		}
		if rest = rest[n:]; len(rest) > 0 {
			if err := f.reap(1); err != nil { // it is full
				return err
			}
		}
	}
	return nil
}

// reap takes back what has been fetched, and waits for need files.
func (f *Fetcher) reap(need int) error {
	n, err := f.drv.Reap(f.done[:], max(0, need))
	f.free = append(f.free, f.done[:n]...)
	f.flying -= n
	return err
}

// Close waits for what is on its way, and closes the driver.
func (f *Fetcher) Close() error { return f.drv.Close() }
