package sluice

import (
	"errors"
	"fmt"
)

// Lifetime is how long what is written is expected to stay: until it is
// overwritten, or its file is removed. A device that is told can put together
// what dies together, and has less to move later. What the steps mean is the
// program's; only their order counts.
type Lifetime uint8

// The lifetimes, as fcntl(2) has them (RWH_WRITE_LIFE_NOT_SET and so on).
const (
	LifetimeNotSet  Lifetime = iota // as it is without SetLifetime
	LifetimeNone                    // nothing is to be expected
	LifetimeShort                   // a log
	LifetimeMedium                  // small tables, that are merged soon
	LifetimeLong                    // large ones
	LifetimeExtreme                 // what is written once
)

// SetLifetime says how long what will be written to the file is expected to
// live (fcntl F_SET_RW_HINT, Linux 4.13). It holds for the file, by whatever it
// is written, until the system forgets about the file; whether anything comes
// of it, the file system and the device decide. Where the system takes no such
// hint the error is errors.ErrUnsupported.
func (d *DirectFile) SetLifetime(l Lifetime) error {
	return d.call("setlifetime", func() error {
		if l > LifetimeExtreme {
			return fmt.Errorf("lifetime %d is not between %d and %d", l, LifetimeNotSet, LifetimeExtreme)
		}
		return setLifetime(d.file.file, l)
	})
}

// Advice is what will be done with a part of a file.
type Advice uint8

// The advices, as posix_fadvise(2) has them (POSIX_FADV_NORMAL and so on).
const (
	AdviceNormal     Advice = iota
	AdviceSequential        // read from lower to higher offsets
	AdviceRandom            // read in random order
	AdviceWillNeed          // read soon
	AdviceDontNeed          // not read any more: the page cache forgets it
)

// Advise tells the system what will be done with the n bytes at off; n 0 means
// up to the end of the file.
//
// A file that is read past the page cache knows one advice, AdviceDontNeed: it
// drops what the page cache has all the same, of the page in which the file
// ends or of what other programs have read. What is not on the disk yet stays,
// so Sync comes before. The others do nothing; nothing is read ahead into where
// nobody looks. Where the page cache is used, see [DirectFile.Explain], all of
// them are the kernel's to follow. Where the system takes no advice the error
// is errors.ErrUnsupported.
func (d *DirectFile) Advise(off, n int64, a Advice) error {
	return d.call("advise", func() (err error) {
		switch {
		case off < 0:
			return errors.New("negative offset")
		case n < 0:
			return errors.New("negative length")
		case a > AdviceDontNeed:
			return fmt.Errorf("advice %d is not between %d and %d", a, AdviceNormal, AdviceDontNeed)
		case d.direct != nil && a != AdviceDontNeed:
			return nil
		}
		// It may wait for the disk: to read ahead, or to begin to write back.
		d.file.sched.core.Block(d.file.core, func() { err = advise(d.file.file, off, n, a) })
		return err
	})
}
