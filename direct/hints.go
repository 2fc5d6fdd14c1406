package direct

import (
	"fmt"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sys"
)

// Lifetime is how long data is expected to stay, until it is overwritten or its file is
// removed. A device that knows it can place together what dies together, and has less to
// move later. The program decides what the steps mean; only their order counts.
type Lifetime uint8

// The lifetimes, as fcntl(2) has them (RWH_WRITE_LIFE_NOT_SET and so on).
const (
	LifetimeNotSet  Lifetime = iota // the default
	LifetimeNone                    // no expectation
	LifetimeShort                   // a log
	LifetimeMedium                  // small tables that are merged soon
	LifetimeLong                    // large tables
	LifetimeExtreme                 // data that is written once
)

// SetLifetime tells the system how long the data that will be written to the file is
// expected to stay (fcntl F_SET_RW_HINT, Linux 4.13). It holds for the file, whatever
// writes to it, until the system forgets about the file. The file system and the device
// decide whether it has any effect. Where the system takes no such hint, the error is
// errors.ErrUnsupported.
func (f *File) SetLifetime(l Lifetime) error {
	return f.call("setlifetime", func() error {
		if l > LifetimeExtreme {
			return fmt.Errorf("lifetime %d is not between %d and %d", l, LifetimeNotSet, LifetimeExtreme)
		}
		return sys.SetLifetime(int(f.h.OS.Fd()), uint64(l))
	})
}

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
