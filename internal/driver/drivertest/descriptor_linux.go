package drivertest

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// ReplaceDescriptor makes fd a descriptor of /dev/null, as a program does with dup2(2) that does
// not know the driver's descriptors. At the end of the test it checks that the driver has not
// closed the program's descriptor, and closes it.
func ReplaceDescriptor(t testing.TB, fd int) {
	t.Helper()
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(null)
	if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if to, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)); err == nil && to != os.DevNull {
			t.Errorf("descriptor %d is %s; want the program's, %s", fd, to, os.DevNull)
		}
		unix.Close(fd)
	})
}
