//go:build !unix

package main

import "os/exec"

// interruptible does nothing here: Ctrl-C reaches all processes of the console.
func interruptible(*exec.Cmd) {}
