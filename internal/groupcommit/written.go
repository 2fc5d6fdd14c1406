package groupcommit

import "syscall"

const (
	// MuchWritten is how many bytes in the page cache keep the disk busy for long
	// enough that a Sync which waits for its group starts their write-back.
	MuchWritten = 32 << 10 // 32 KiB
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

// Unsynced returns the number of counted bytes.
func (s *Syncer) Unsynced() int64 { return s.unsynced.Load() }

// TakeWriteback reports whether the caller is to start the write-back of the counted bytes now, and
// then to call EndWriteback. It reports that once for the same bytes, and they no longer count.
func (s *Syncer) TakeWriteback() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// While an fsync waits for earlier ones, none begins, or it might wait for ever.
	if s.writebacksEnd != nil || s.unsynced.Swap(0) < MuchWritten {
		return false
	}
	s.writebacks++
	return true
}

// BeginWriteback notes that the caller starts a write-back. It calls EndWriteback after that. While
// an fsync waits for earlier write-backs, it waits for them too.
func (s *Syncer) BeginWriteback() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.writebacksEnd != nil {
		s.awaitWritebacks()
	}
	s.writebacks++
}

// EndWriteback records the result of the call that has started a write-back. If the file system
// could not start it, it may have given up the pages. An fsync would have reported that, but now it
// finds nothing to write. So the fsyncs that run fail, or else the next one.
func (s *Syncer) EndWriteback(res int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := syscall.Errno(-res); err {
	case syscall.EIO, syscall.ENOSPC, syscall.EDQUOT: // a sandbox may return others
		s.noteError(err)
		s.unreported = err
	}
	if s.writebacks--; s.writebacks == 0 && s.writebacksEnd != nil {
		close(s.writebacksEnd)
		s.writebacksEnd = nil
	}
}

// afterWritebacks locks mu once no write-back is being started, and returns err, the result of an
// fsync, or the error of a write-back if that is all there is. A write-back that was being started
// beside the fsync may have given up pages of each Sync that the fsync serves. One that begins
// after the fsync has ended cannot.
func (s *Syncer) afterWritebacks(err error) error {
	s.mu.Lock()
	if s.writebacks > 0 {
		if s.writebacksEnd == nil {
			s.writebacksEnd = make(chan struct{})
		}
		s.awaitWritebacks()
	}
	if err == nil {
		err = s.unreported
	}
	// Where errors are remembered, two fsyncs may run at a time, and both fail. Later ones fail
	// anyway.
	if s.forgetsErrors {
		s.unreported = nil
	}
	return err
}

// awaitWritebacks waits until writebacksEnd is closed. It must be called with mu held, and releases
// it while it waits.
func (s *Syncer) awaitWritebacks() {
	end := s.writebacksEnd
	s.mu.Unlock()
	<-end
	s.mu.Lock()
}
