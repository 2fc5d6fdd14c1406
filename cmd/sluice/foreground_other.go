//go:build !unix

package main

import (
	"os"
	"syscall"
)

// fromTerminal tells whether the console has sent the signal, which it sends
// to all of its processes.
func fromTerminal(sig os.Signal) bool { return sig == syscall.SIGINT }
