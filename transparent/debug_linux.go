//go:build amd64 || arm64

package transparent

import (
	"fmt"
	"os"
	"strings"

	"github.com/sluiceio/sluice/internal/debugserver"
	"github.com/sluiceio/sluice/internal/sys"
)

// serveDebug serves the live look at the address of SLUICE_DEBUG_ADDR. It reports whether it does.
// An error is printed on stderr, and does not keep the program from running. The user of a
// set-user-ID program must not open its files' names to others.
func serveDebug() bool {
	addr := os.Getenv("SLUICE_DEBUG_ADDR")
	if addr == "" || sys.SecureMode() {
		return false
	}
	at, err := debugserver.Listen(addr)
	if err != nil {
		fmt.Fprintf(os.Stderr, "sluice: no debug server: SLUICE_DEBUG_ADDR=%s: %v\n", addr, err)
		return false
	}
	if strings.HasSuffix(addr, ":0") { // the port is not known otherwise
		fmt.Fprintf(os.Stderr, "sluice: debug server at http://%s%s\n", at, debugserver.Path)
	}
	return true
}
