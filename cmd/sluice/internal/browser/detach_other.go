//go:build !unix

package browser

import "os/exec"

// detach does nothing: the opener hands the page over and ends.
func detach(*exec.Cmd) {}
