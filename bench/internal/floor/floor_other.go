//go:build !linux

package floor

// Copy is not to be had here.
func Copy(string, string, Options) error { return ErrLinux }
