//go:build !linux

package floor

// Copy returns ErrLinux.
func Copy(string, string, Options) error { return ErrLinux }
