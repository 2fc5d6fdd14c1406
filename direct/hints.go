package direct

import (
	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
)

// Advise tells the system how the n bytes at off will be used; n 0 means up to the end of
// the file.
//
// If the page cache is used (see [File.Explain]), the kernel follows all advice as
// it likes. If the file is read past the page cache, only [sluice.AdviceDontNeed] does
// something: it drops what the page cache has of the file all the same, which is the page in which
// the file ends, or what other programs have read. Pages that are not on the disk yet
// stay, so call Sync first. The other advice does nothing: no read looks into the page
// cache. Where the system takes no advice, the error is errors.ErrUnsupported.
func (f *File) Advise(off, n int64, a sluice.Advice) error {
	return f.call("advise", func() error {
		err := handle.CheckRange(off, n)
		if err == nil {
			err = handle.CheckAdvice(uint8(a))
		}
		if err != nil || f.direct != nil && a != sluice.AdviceDontNeed {
			return err
		}
		return f.h.BlockingRead(func() error { return f.h.Advise(off, n, uint8(a)) }) // to read ahead, or to start write-back
	})
}
