// Package durable makes a copy durable, as Options.Sync of package copytree asks.
//
//	s := durable.New(durable.Config{Scheduler: core, Close: k.Close, Failed: report})
//	err := s.Watch(dev, dirfd, dir) // before anything is written there
//	s.Add(durable.File{FD: fd, Dir: dir, Name: name}) // instead of close(fd)
//	errs := s.Finish()
//
// # Why descriptors are kept
//
// When write-back fails, the kernel reports it once to each file description that is open at that
// time. If none is open, the next one gets it, as long as the inode is in memory. After that the
// pages are clean, and an fsync of a file that is opened later succeeds although data is lost. So
// the descriptor that was written to stays open until its fsync. The descriptor for syncfs(2) is
// opened before the first write, because it reports errors from then on (Linux 5.8).
//
// # Concurrency
//
// Several goroutines may call Watch and Add. Finish comes after them.
package durable
