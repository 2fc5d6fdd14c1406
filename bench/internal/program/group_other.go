//go:build !unix

package program

import "os/exec"

// OwnGroup does nothing: there are no process groups.
func OwnGroup(*exec.Cmd) {}
