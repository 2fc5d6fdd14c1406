// Package browser opens a page in the user's web browser, where there is one to
// be seen.
package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Display tells whether there is a screen that a browser's window could be on.
// Where that cannot be told, there is one.
func Display() bool { return display(runtime.GOOS, os.Getenv) }

func display(goos string, getenv func(string) string) bool {
	switch goos {
	case "darwin", "windows":
		return true
	}
	return getenv("WAYLAND_DISPLAY") != "" || getenv("DISPLAY") != ""
}

// Open has the system's opener show a file. It does not wait for the opener,
// which may last as long as the browser does; so what goes wrong in it is not
// known.
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

// command is what opens a file as a click on it would.
func command(goos, page string) []string {
	switch goos {
	case "darwin":
		return []string{"open", page}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", page}
	}
	return []string{"xdg-open", page}
}
