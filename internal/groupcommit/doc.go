// Package groupcommit decides which fsyncs of a file are made, and which Syncs each one serves.
//
// An fsync covers only what was written before it starts. So while one runs, the Syncs that arrive
// form a group, and one member makes the next fsync for all of them: docs/decisions/0005-sync.md.
//
//	shared, err := s.Do(ctx, driver.Fsync, caller)
//
// Do decides, and its Caller makes the system calls. The package also finds out which writes to a
// file with O_SYNC may be lost (LostWrites).
//
// In this package fsync means fsync(2) or fdatasync(2), unless both are named. An fsync(2) serves
// Syncs and Datasyncs; an fdatasync(2) serves Datasyncs alone. A group is the Syncs that share an
// fsync. The leader of a group is the member that makes the fsync; it is not the leader of a ring.
//
// # Concurrency
//
// All methods may be called at the same time, unless their comments say otherwise.
package groupcommit
