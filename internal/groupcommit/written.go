package groupcommit

import "syscall"

const (
	// MuchWritten is how many bytes in the page cache keep the disk busy for long
	// enough that a Sync which waits for its group starts their write-back.
	MuchWritten = 16 << 10 // 16 KiB
	// HugeWritten is how many bytes in the page cache make two fsyncs at a time
	// better for two Syncs than one fsync for both.
	HugeWritten = 256 << 10 // 256 KiB
)

// Written counts the n bytes of a buffered write, if Syncs have been concurrent.
func (s *Syncer) Written(n int) {
	if n > 0 && s.concurrent.Load() {
		s.unsynced.Add(int64(n))
	}
}

// Syncing notes that an fsync is about to start, which writes the counted bytes back.
func (s *Syncer) Syncing() { s.unsynced.Store(0) }

// Unsynced returns the number of counted bytes.
func (s *Syncer) Unsynced() int64 { return s.unsynced.Load() }

// NeedsWriteback reports whether it is worth while to start the write-back of the bytes that no
// fsync covers yet, so that the disk need not wait until the running fsync ends and the
// next one starts.
func (s *Syncer) NeedsWriteback() bool { return s.unsynced.Load() >= MuchWritten }

// TakeWriteback reports whether the caller is to start that write-back now. It reports that once
// for the same bytes, and they no longer count.
func (s *Syncer) TakeWriteback() bool { return s.unsynced.Swap(0) >= MuchWritten }

// NoteWriteback records the result of the call that started the write-back. If the file system
// could not start it, it may have given up the pages. An fsync would have
// reported that, but now it finds nothing to write.
func (s *Syncer) NoteWriteback(res int32) {
	switch err := syscall.Errno(-res); err {
	case syscall.EIO, syscall.ENOSPC, syscall.EDQUOT: // a sandbox may return others
		s.mu.Lock()
		defer s.mu.Unlock()
		s.noteError(err)
	}
}
