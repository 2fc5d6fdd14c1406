//go:build !linux

package places

// FileSystems are Linux's.
var FileSystems map[string]Make
