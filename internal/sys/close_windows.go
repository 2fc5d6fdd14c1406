package sys

import "golang.org/x/sys/windows"

// Close is CloseHandle.
func Close(fd int) { _ = windows.CloseHandle(windows.Handle(fd)) }
