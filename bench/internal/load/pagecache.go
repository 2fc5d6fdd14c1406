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
	if l.Kind == WriteDirectHot {
		if _, err := dropCache(f, fileSize); err != nil {
			return err
		}
		return writeSpan(f, l, fileSize)
	}
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

// writeSpan fills the load's span by writes of the load's size. The kernel caches a file in folios as large as the
// request that brought them in. After a long sequential read each write of 4 KiB would have to deal with a folio of
// 2 MiB, and take 30 us on ext4 (6.18) instead of 3; and a direct write would remove all of the folio from the page cache.
func writeSpan(f *os.File, l Load, fileSize int64) error {
	buf := make([]byte, l.Size)
	for off := int64(0); off+int64(len(buf)) <= l.Span(fileSize); off += int64(len(buf)) {
		if _, err := f.WriteAt(buf, off); err != nil {
			return err
		}
	}
	return f.Sync()
}
