// Package mapped reads files through memory that is mapped, without stopping the Go runtime.
//
// A program that touches a page of a mapped file (mmap(2)) which is not in memory waits in a page
// fault. The Go runtime does not know that it waits: the processor (GOMAXPROCS) on which the
// goroutine runs stands still until the disk has answered, and with it all goroutines that wait to
// run there. [Mapping.Load] is called before the memory is touched. It returns memory that is
// resident, and has the scheduler read what is not. Then the goroutine waits, and no processor
// does.
//
//	m, err := mapped.Map(f, 0, 0) // f is a *sluice.File; 0, 0 is all of it
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	b, err := m.Load(off, 4096) // was data[off:off+4096]
//
// Load remembers which pages were resident, so that a Load of a page that was used lately costs
// some nanoseconds. What it remembers expires after at most a second, earlier while the system
// reclaims memory. Until then a page may have been reclaimed, and touching it waits as without this
// package. If Load remembers wrongly, the only effect is a page fault that waits; the bytes are
// still right, unless the file was truncated.
//
// # Truncated files and broken disks
//
// Load returns an error for a page that the disk cannot read, and for bytes that the file has lost
// since Map; of a page that it remembers, up to a second late. And the memory that it has returned
// is the kernel's. If the file is truncated later, the lost bytes of the page in which it then ends
// are zeros. Touching a page after that one is a fault (SIGBUS), which ends the program. So is
// touching a page that was reclaimed and cannot be read again. debug.SetPanicOnFault turns the
// fault into a panic in the goroutine that touches the page. [Mapping.ReadAt] copies, and returns
// an error for lost bytes, zeros or not.
//
// Load returns an error, too, for memory that the kernel cannot provide, such as a hole of a full
// tmpfs; but where a control group is at its memory limit, the kernel may kill the program, as for
// any memory that it uses. ReadAt reads such bytes from the file.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Close waits for the calls in
// progress; memory that they have returned must not be touched after that.
//
// # Systems
//
// It works on all systems that have mmap(2), with each driver. On Windows, Map returns
// errors.ErrUnsupported. This package is experimental: its API may change.
package mapped
