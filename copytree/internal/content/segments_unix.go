//go:build linux || freebsd

package content

import (
	"math"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
)

// copySegments copies the data of a source without its holes. It does nothing if the file system
// does not report holes.
func (j *job) copySegments() (done bool, err error) {
	if err := j.extend(); err != nil {
		return false, err
	}
	for off := int64(0); off < j.src.Size; {
		data, hole, err := segment(j.src.FD, off)
		switch {
		case err == unix.EINVAL && off == 0:
			return false, nil
		case err == unix.ENXIO: // a hole up to the end
			return true, j.endInHole()
		case err != nil:
			return false, fault.Source("lseek", err)
		case data >= j.src.Size: // the source has grown
			return true, j.copyGrowth(j.src.Size)
		}
		hole = min(hole, j.src.Size)
		if off, err = j.copyRange(data, hole); err != nil {
			return false, err
		}
		if off < hole {
			return true, j.finish(off)
		}
	}
	return true, j.copyGrowth(j.src.Size)
}

// extend gives the destination its length before the data. Otherwise xfs would reserve blocks
// beyond the written end, and so fill the next hole.
func (j *job) extend() error { return j.setLength(j.src.Size) }

// segment returns the start and the end of the first data at or after off. The error is ENXIO if
// there is none.
func segment(fd int, off int64) (data, hole int64, err error) {
	if data, err = unix.Seek(fd, off, unix.SEEK_DATA); err != nil {
		return 0, 0, err
	}
	hole, err = unix.Seek(fd, data, unix.SEEK_HOLE)
	return data, hole, err
}

// nextData returns the offset of the first data at or after off. It is off if the file system does
// not report holes.
func nextData(fd int, off int64) int64 {
	data, err := unix.Seek(fd, off, unix.SEEK_DATA)
	switch err {
	case nil:
		return data
	case unix.ENXIO:
		return math.MaxInt64
	}
	return off
}

// endInHole ends the copy of a source without further data.
func (j *job) endInHole() error {
	now, err := size(j.src.FD)
	if err != nil {
		return fault.Source("fstat", err)
	}
	return j.finish(min(now, j.src.Size))
}
