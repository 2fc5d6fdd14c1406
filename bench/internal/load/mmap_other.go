//go:build !unix

package load

// openMmap fails: there is no mmap(2).
func openMmap(Setup) (*target, error) { return nil, &unsupportedError{"no mmap on this system"} }
