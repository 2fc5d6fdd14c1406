package load

import (
	"io"
	"os"
)

// minGone is the part of the file that must have left the page cache for a read to count as cold.
const minGone = 0.99

// SetPageCache prepares the page cache for a slice of the load: without the file, or with the
// load's whole span. If the kernel does not report cached pages, it reads the span.
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

// writeSpan fills the load's span by writes of the load's size. The kernel caches a file in folios
// as large as the request that read them. After a long sequential read, a write of 4 KiB would find
// a folio of 2 MiB, and take 30 us instead of 3 (ext4, Linux 6.18). A direct write would evict the
// whole folio.
func writeSpan(f *os.File, l Load, fileSize int64) error {
	buf := make([]byte, l.Size)
	for off := int64(0); off+int64(len(buf)) <= l.Span(fileSize); off += int64(len(buf)) {
		if _, err := f.WriteAt(buf, off); err != nil {
			return err
		}
	}
	return f.Sync()
}
