//go:build !unix

package load

// openMmap fails: mmap(2) does not exist here.
func openMmap(Setup) (*target, error) { return nil, &unsupportedError{"no mmap on this system"} }
