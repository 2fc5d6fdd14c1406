//go:build !linux

package slowdisk

import "os"

// dropCache does nothing: there is no slow disk.
func dropCache(*os.File) error { return nil }
