package groupcommit

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestSecondFDIsZero: a program that has closed its standard input gets descriptor 0 for the next
// file that is opened. As the second descriptor it serves like any other, and is closed.
func TestSecondFDIsZero(t *testing.T) {
	stdin, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		skip.For(t, skip.Case, err)
	}
	defer unix.Close(stdin)
	defer unix.Dup3(stdin, 0, 0)
	var y Syncer
	y.unsynced.Store(HugeWritten)
	wantRole(t, &y, opener)
	y.openSecondFD(0)
	if err := y.end(alone, nil, Made{}); err != nil {
		t.Fatalf("End = %v", err)
	}
	wantRole(t, &y, alone) // and not Opener again
	wantRole(t, &y, second)
	if fd := y.second.fd; fd != 0 {
		t.Errorf("SecondFD = %d; want 0", fd)
	}
	y.end(second, nil, Made{})
	if err := y.end(alone, nil, Made{}); err != nil {
		t.Fatalf("End = %v", err)
	}
	y.CloseSecondFD()
	if _, err := unix.FcntlInt(0, unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("after CloseSecondFD fcntl of descriptor 0 = %v; want %v", err, unix.EBADF)
	}
}
