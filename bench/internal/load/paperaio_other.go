//go:build !linux

package load

// openPaperAIO is for Linux, where io_submit is.
func openPaperAIO(string, int, int, bool) (*target, error) {
	return nil, &unsupportedError{"no Linux AIO on this system"}
}
