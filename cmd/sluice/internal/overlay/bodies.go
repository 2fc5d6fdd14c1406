package overlay

// bodies are Go for those of golang.org/x/sys/unix's functions that are written
// in assembly: the assembler runs in the directory of its package, and this
// one's exists in the overlay alone.
//
// uintptrescapes keeps what an argument points to where it is, on the heap,
// until the call returns.
var bodies = map[string]string{
	"Syscall": `//go:uintptrescapes
func Syscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err syscall.Errno) {
	return syscall.Syscall(trap, a1, a2, a3)
}`,
	"Syscall6": `//go:uintptrescapes
func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno) {
	return syscall.Syscall6(trap, a1, a2, a3, a4, a5, a6)
}`,
	"RawSyscall": `//go:uintptrescapes
func RawSyscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err syscall.Errno) {
	return syscall.RawSyscall(trap, a1, a2, a3)
}`,
	"RawSyscall6": `//go:uintptrescapes
func RawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno) {
	return syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
}`,
	// Its callers hand over numbers alone, as do the next one's.
	"SyscallNoError": `func SyscallNoError(trap, a1, a2, a3 uintptr) (r1, r2 uintptr) {
	r1, r2, _ = Syscall(trap, a1, a2, a3)
	return r1, r2
}`,
	"RawSyscallNoError": `func RawSyscallNoError(trap, a1, a2, a3 uintptr) (r1, r2 uintptr) {
	r1, r2, _ = RawSyscall(trap, a1, a2, a3)
	return r1, r2
}`,
	"gettimeofday": `func gettimeofday(tv *Timeval) (err syscall.Errno) {
	var t syscall.Timeval
	if e, ok := syscall.Gettimeofday(&t).(syscall.Errno); ok {
		return e
	}
	tv.Sec, tv.Usec = t.Sec, t.Usec
	return 0
}`,
	// Where it has no file for that, package sys does without.
	"running": `func running() uintptr { return 0 }`,
}
