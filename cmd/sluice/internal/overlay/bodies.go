package overlay

// bodies are Go bodies for the functions of golang.org/x/sys/unix that are written in
// assembly. Assembly does not work here: the assembler runs in the directory of the
// package, which exists only in the overlay.
//
// uintptrescapes keeps the memory that an argument points to on the heap, where it does
// not move, until the call returns.
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
	// The arguments of this function and of the next are never pointers.
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
	// Package sys works without a value from this function.
	"running": `func running() uintptr { return 0 }`,
}
