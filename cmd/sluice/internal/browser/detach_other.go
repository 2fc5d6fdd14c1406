//go:build !unix

package browser

import "os/exec"

// detach does nothing: the command gives the page to the browser and ends.
func detach(*exec.Cmd) {}
