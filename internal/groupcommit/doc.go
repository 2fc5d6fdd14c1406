// Package groupcommit decides which fsyncs of a file are made, and which Syncs each one serves.
//
// An fsync may serve a Sync only if it starts after the Sync was called: only then does it
// cover everything that was written before. So while one fsync runs, the Syncs that arrive form
// a group, and one member makes the next fsync for all of them. They wait, and make no fsync of
// their own beside the first, because the kernel reports a loss once to each open file
// description: the one fsync could take the report that the other needs. A second description
// allows a second fsync (secondFD). The caller of Sync asks what to do, does it, and says how it
// went:
//
//	switch role, g, err := s.Begin(code); {
//	case err != nil: // an earlier fsync has lost data
//	case role == Alone: err = fsync(); err = s.End(err, took)
//	case role == Opener: s.OpenSecondFD(fd); err = fsync(); err = s.End(err, took)
//	case role == Second: err = s.EndSecond(fsync(s.SecondFD()))
//	case role == Leader: code, err := s.StartGroup(g); err = fsync(); err = s.EndGroup(g, err, took)
//	case role == Member: leads, left, err := s.Wait(ctx, code, g)
//	}
//
// The package makes no system call itself, except to close a descriptor. It also finds out
// which writes to a file with O_SYNC may be lost (LostWrites).
//
// In this package fsync means fsync(2) or fdatasync(2), unless both are named. An fsync(2) serves
// Syncs and Datasyncs; an fdatasync(2) serves Datasyncs alone. A Group is the Syncs that share an
// fsync.
//
// # Concurrency
//
// All methods may be called at the same time, except those that say otherwise.
package groupcommit
