//go:build !unix

package program

import "os"

// maxRSS returns 0: it is unknown on this system.
func maxRSS(*os.ProcessState) int64 { return 0 }
