// Package fetch reads the beginnings of many files into the page cache.
//
//	f := fetch.New(drv)
//	defer f.Close()
//	err := f.Fetch(fds)
//
// It reads one byte of each file, and the kernel then reads ahead the file's first
// pages. All reads are submitted in one system call. So the block layer can merge the
// requests of files that are neighbours on the disk, as the files of a directory often
// are; with readahead(2) for each file it could not. The measurements are in
// docs/decisions/0019-copying-trees.md.
//
// # Concurrency
//
// A Fetcher is used by one goroutine.
package fetch

import "github.com/sluiceio/sluice/internal/driver"

// Depth is how many reads are in flight at most.
const Depth = 256

// Fetcher fetches files.
type Fetcher struct {
	drv      driver.Driver
	ops      [Depth]driver.Op
	sink     [Depth]byte // the bytes that are read: one for each of ops
	free     []*driver.Op
	batch    []*driver.Op
	done     [Depth]*driver.Op
	inFlight int // operations that the driver has
}

// New returns a Fetcher that uses drv, and closes it in the end.
func New(drv driver.Driver) *Fetcher {
	f := &Fetcher{drv: drv}
	for i := range f.ops {
		f.ops[i].Code, f.ops[i].Buf = driver.Read, f.sink[i:i+1]
		f.free = append(f.free, &f.ops[i])
	}
	return f
}

// Fetch begins to read the files, and waits until reads of no more than half as many
// are in flight. The caller may close the descriptors when it returns. Files that cannot
// be read are ignored. After an error, which is of the driver, the Fetcher can only be
// closed.
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

// submit begins to read files, of which there are no more than free operations. When it
// returns, the kernel has all requests, and so a descriptor may be closed: its request
// still is for that file.
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

// reap takes finished operations back from the driver. It waits for at least need.
func (f *Fetcher) reap(need int) error {
	n, err := f.drv.Reap(f.done[:], max(0, need))
	f.free = append(f.free, f.done[:n]...)
	f.inFlight -= n
	return err
}

// Close waits for the reads in flight, and closes the driver.
func (f *Fetcher) Close() error { return f.drv.Close() }
