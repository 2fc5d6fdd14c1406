//go:build !linux

package load

// openPaperAIO fails: Linux AIO exists on Linux only.
func openPaperAIO(string, int, int, bool) (*target, error) {
	return nil, &unsupportedError{"no Linux AIO on this system"}
}
