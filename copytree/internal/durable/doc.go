// Package durable puts on disk what a copy has written, as Options.Sync of
// package copytree asks.
//
//	s := durable.New(durable.Config{Files: true, Scheduler: core, Failed: report})
//	err := s.Watch(dev, dirfd)                   // before anything is written there
//	s.Add(durable.File{FD: fd, Dir: dir, Name: name}) // instead of close(fd)
//	err = s.Finish()
//
// # Why descriptors are kept
//
// The kernel tells a failed write-back once to each open file description that
// was open when it happened, or, if nobody has been told, to the next one that
// is opened, as long as the inode is in memory; the pages are clean after that,
// and a file that is opened and synced too late is said to be well. So the
// descriptor that was written to is kept open and is the one that is synced. The
// one for syncfs(2) is opened before the first write, as it tells errors from
// then on (Linux 5.8).
package durable
