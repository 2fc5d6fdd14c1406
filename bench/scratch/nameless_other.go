//go:build !linux

package scratch

import "os"

// nameless does nothing: on these systems other processes can only open a file by its name.
func nameless(*os.File) (*File, bool) { return nil, false }
