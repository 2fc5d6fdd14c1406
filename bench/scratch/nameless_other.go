//go:build !linux

package scratch

import "os"

// nameless does nothing: on these systems other processes can open a file only by its name.
func nameless(*os.File) (*File, bool) { return nil, false }
