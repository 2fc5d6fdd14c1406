//go:build !unix

package verify

import "os/exec"

// endWithGroup leaves cmd as it is: the end of the context ends the go command alone.
func endWithGroup(*exec.Cmd) {}
