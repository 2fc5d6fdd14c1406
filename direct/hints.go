package direct

import (
	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
)

// Advise tells the kernel how the n bytes at off will be used; n 0 means up to the end of the file.
// A file past the page cache heeds only [sluice.AdviceDontNeed]: it drops the page at the file's
// end, and pages that other programs have read, unless they are not on the disk yet. A file that
// uses the page cache (see [File.Explain]) heeds all advice. On a system without advice the error
// is errors.ErrUnsupported.
func (f *File) Advise(off, n int64, a sluice.Advice) error {
	return f.call("advise", func() error {
		err := handle.CheckRange(off, n)
		if err == nil {
			err = handle.CheckAdvice(uint8(a))
		}
		if err != nil || f.direct != nil && a != sluice.AdviceDontNeed {
			return err
		}
		// The call may read ahead, or start write-back, and wait for the device.
		return f.h.BlockingRead(func() error { return f.h.Advise(off, n, uint8(a)) })
	})
}
