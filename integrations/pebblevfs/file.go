package pebblevfs

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/sluiceio/sluice"
)

// file is a vfs.File that goes through the page cache.
type file struct {
	f *sluice.File
	// syncRange reports whether SyncTo can start write-back without waiting for it.
	syncRange bool
	// prefetched is the end of the last Prefetch.
	prefetched atomic.Int64
}

var _ vfs.File = (*file)(nil)

func (f *file) Close() error                            { return f.f.Close() }
func (f *file) Read(b []byte) (int, error)              { return f.f.Read(b) }
func (f *file) ReadAt(b []byte, off int64) (int, error) { return f.f.ReadAt(b, off) }
func (f *file) Write(b []byte) (int, error)             { return f.f.Write(b) }
func (f *file) WriteAt(b []byte, off int64) (int, error) {
	return f.f.WriteAt(b, off)
}

// Fd returns the descriptor. Without a descriptor Pebble would not preallocate, and would sync a
// whole file to start write-back.
func (f *file) Fd() uintptr { return f.f.Fd() }

func (f *file) Stat() (vfs.FileInfo, error) {
	info, err := f.f.Stat()
	if err != nil {
		return nil, err
	}
	return withDevice(info, f.f.Name(), f.f.Fd())
}

func (f *file) Sync() error     { return f.f.Sync() }
func (f *file) SyncData() error { return f.f.Datasync() }

// SyncTo starts write-back of the first n bytes if the file system can. Otherwise it is SyncData.
func (f *file) SyncTo(n int64) (fullSync bool, err error) {
	if f.syncRange {
		return false, f.f.SyncRange(0, n)
	}
	if err := f.f.Datasync(); err != nil {
		return false, err
	}
	return true, nil
}

// Prefetch makes the system read the n bytes at off into the page cache. Pebble calls it when it
// needs the first of them. If off is the end of the last Prefetch, the system also reads the next n
// bytes, so that Pebble does not wait for the disk at each Prefetch.
func (f *file) Prefetch(off, n int64) error {
	if n <= 0 { // to sluice 0 would mean the rest of the file
		return nil
	}
	if last := f.prefetched.Swap(off + n); off <= last && last < off+n {
		n *= 2
	}
	return f.f.Prefetch(off, n)
}

func (f *file) Preallocate(off, n int64) error { return f.f.Allocate(off, n) }
