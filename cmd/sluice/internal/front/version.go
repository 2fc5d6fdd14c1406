package front

import (
	"fmt"
	"runtime"

	"github.com/sluiceio/sluice/bench/cli"
)

// Version writes one line, which has what bug reports need.
func Version(s cli.Streams) error {
	_, err := fmt.Fprintln(s.Out, versionLine("sluice"))
	return err
}

// versionLine returns the version of the command of that name, the Go version that built it,
// and its system.
func versionLine(name string) string {
	return fmt.Sprintf("%s %s %s %s/%s", name, cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
