// Package mapped reads files through mapped memory, without stopping the Go runtime. It is
// experimental: its API may change.
//
// A touch of a missing page waits in a page fault. The Go runtime does not know about page faults:
// until the disk has answered, a processor (GOMAXPROCS) stands still, with the goroutines that wait
// to run on it. So a program calls [Mapping.Load] before it touches the memory. Load reads the
// missing pages through the scheduler: the goroutine waits, and no processor does.
//
//	m, err := mapped.Map(f, 0, 0) // f is a *sluice.File; 0, 0 is all of it
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//	b, err := m.Load(off, 4096) // was data[off:off+4096]
//
// Load remembers resident pages for at most a second: a Load of a page that was used lately costs
// some nanoseconds. If the kernel has reclaimed the page in that second, touching it waits in a
// page fault.
//
// # Truncated files and broken disks
//
// Load returns an error for a page that the disk cannot read, and for bytes that the file has lost
// since Map. For a remembered page the error may come a second late. Later the returned memory is
// the kernel's:
//
//   - if the file is truncated, the lost bytes of its last page are zeros
//   - touching a page after that one, or a reclaimed page that cannot be read again, is a fault
//     (SIGBUS), which ends the program
//   - debug.SetPanicOnFault turns the fault into a panic of the goroutine
//
// For files that other programs may truncate use [sluice.File.ReadAt].
//
// Load also returns an error for memory that the kernel cannot provide, such as a hole of a full
// tmpfs. At the memory limit of a control group the kernel may kill the program instead.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Close waits for the calls in
// progress; the memory that they have returned must not be touched after that.
//
// # Systems
//
// It works on all systems that have mmap(2), with each driver. On Windows, Map returns
// errors.ErrUnsupported.
package mapped
