//go:build !linux

package gnucp

import "os"

// longestName returns how many bytes a name in the directory may have.
func longestName(*os.File) int { return 255 }
