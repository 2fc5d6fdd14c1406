package load

import (
	"io"
	"os"
)

// minGone is the part of the file that must have left the page cache for a read to count as cold.
const minGone = 0.99

// SetPageCache brings the page cache into the state in which a slice of the load begins: without
// the file, or with all of the load's span. If the kernel does not say what the page cache holds,
// it reads the span.
func SetPageCache(f *os.File, l Load, fileSize int64) error {
	switch l.Kind.bare() {
	case ReadCold, ScanCold:
		gone, err := dropCache(f, fileSize)
		if err != nil {
			return err
		}
		if gone < minGone {
			return &unsupportedError{"the page cache cannot be dropped on this file system"}
		}
	case ReadCached, ReadHot:
		span := l.Span(fileSize)
		if cached, err := cachedBytes(f, span); err == nil && cached >= span {
			return nil
		}
		_, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, span))
		return err
	}
	return nil
}
