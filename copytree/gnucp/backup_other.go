//go:build !linux

package gnucp

import "os"

// longestName returns the number of bytes that a name in the directory may have.
func longestName(*os.File) int { return 255 }
