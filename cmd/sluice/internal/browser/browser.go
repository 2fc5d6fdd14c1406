// Package browser opens a page in the user's web browser.
package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Display reports whether there is a screen for a browser's window. On macOS and
// Windows, where this is not known, it returns true.
func Display() bool { return display(runtime.GOOS, os.Getenv) }

func display(goos string, getenv func(string) string) bool {
	switch goos {
	case "darwin", "windows":
		return true
	}
	return getenv("WAYLAND_DISPLAY") != "" || getenv("DISPLAY") != ""
}

// Open starts the system's program that opens files, and returns the error of the
// start. It does not wait for that program, which may run as long as the browser, so
// its own errors are not returned.
func Open(name string) error {
	page, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	argv := command(runtime.GOOS, page)
	cmd := exec.Command(argv[0], argv[1:]...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err // which names the opener
	}
	return cmd.Process.Release()
}

// command returns the command line that opens a file as a click on it would.
func command(goos, page string) []string {
	switch goos {
	case "darwin":
		return []string{"open", page}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", page}
	}
	return []string{"xdg-open", page}
}
