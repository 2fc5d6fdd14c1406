//go:build !unix

package main

import (
	"os"
	"syscall"
)

// fromTerminal reports whether the console has sent the signal. It sends signals to all of
// its processes.
func fromTerminal(sig os.Signal) bool { return sig == syscall.SIGINT }
