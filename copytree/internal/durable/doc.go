// Package durable puts on disk what a copy has written, as Options.Sync of package
// copytree says.
//
//	s := durable.New(durable.Config{Scheduler: core, Close: k.Close, Failed: report})
//	err := s.Watch(dev, dirfd, dir) // before anything is written there
//	s.Add(durable.File{FD: fd, Dir: dir, Name: name}) // instead of close(fd)
//	errs := s.Finish()
//
// # Why descriptors are kept
//
// When write-back fails, the kernel reports it once to each file description that is
// open at that time. If there is none, it reports it to the next one, as long as the
// inode is in memory. After that the pages are clean, and an fsync of a file that is
// opened later succeeds though data is lost. So the descriptor that was written to
// stays open, and is the one that is synced. The descriptor for syncfs(2) is opened
// before the first write, because it reports errors from then on (Linux 5.8).
//
// # Concurrency
//
// Watch and Add may be called by several goroutines. Finish comes after them.
package durable
