// Package mapped reads files through mapped memory, without stopping the Go runtime. It is
// experimental: its API may change.
//
// If a program touches a page of mapped memory that is not in the page cache, it waits in a page
// fault. The Go runtime does not notice page faults, so one of its processors (GOMAXPROCS) runs no
// goroutine until the disk has answered. [Mapping.Load] prevents that: the program calls Load
// before it touches the memory. Load reads the missing pages, and only the goroutine waits.
//
//	m, err := mapped.Map(f, 0, 0) // f is a *sluice.File; 0, 0 is all of it
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	b, err := m.Load(off, 4096) // was data[off:off+4096]
//
// Load remembers for at most a second that a page is in memory, so that a second Load of the page
// takes some nanoseconds. If the kernel reclaims the page in that second, touching it waits in a
// page fault.
//
// # Truncated files and broken disks
//
// Load returns an error for a page that the disk cannot read, and for bytes that were truncated
// since Map. The error may come up to a second late. After Load has returned, these touches end the
// program with SIGBUS, or panic with debug.SetPanicOnFault:
//
//   - of a page that was truncated from the file
//   - of a page that the kernel has reclaimed, and that the disk cannot read again
//
// Bytes that were truncated from the last page of the file read as zeros. For files that other
// programs may truncate use [sluice.File.ReadAt].
//
// Load also returns an error for memory that the kernel cannot provide, such as a hole of a full
// tmpfs. At the memory limit of a control group the kernel may kill the program instead.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Close waits for the calls in
// progress. After Close, the memory that calls have returned must not be touched.
//
// # Systems
//
// The package works on all systems that have mmap(2). On Windows, Map returns
// errors.ErrUnsupported.
package mapped
