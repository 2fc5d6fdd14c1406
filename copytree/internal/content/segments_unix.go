//go:build linux || freebsd

package content

import (
	"golang.org/x/sys/unix"
)

// copySegments copies the data of a source that has holes, and leaves these out.
// It is not done if the file system does not tell.
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
			return false, &Error{"lseek", true, err}
		case data >= j.src.Size: // it has grown
			return true, j.longer(j.src.Size)
		}
		hole = min(hole, j.src.Size)
		if off, err = j.span(data, hole); err != nil {
			return false, err
		}
		if off < hole {
			return true, j.finish(off)
		}
	}
	return true, j.longer(j.src.Size)
}

// extend gives the destination its length beforehand. xfs reserves room behind
// what is written at the end of a file, which would fill the next hole.
func (j *job) extend() error {
	if err := truncate(j.dst.FD, j.src.Size); err != nil {
		return &Error{"ftruncate", false, err}
	}
	j.high = j.src.Size
	return nil
}

// segment returns where the first data at or after off starts and ends. ENXIO is
// that there is none.
func segment(fd int, off int64) (data, hole int64, err error) {
	if data, err = unix.Seek(fd, off, unix.SEEK_DATA); err != nil {
		return 0, 0, err
	}
	hole, err = unix.Seek(fd, data, unix.SEEK_HOLE)
	return data, hole, err
}

// endInHole ends the copy of a source that has no more data.
func (j *job) endInHole() error {
	now, err := size(j.src.FD)
	if err != nil {
		return &Error{"fstat", true, err}
	}
	return j.finish(min(now, j.src.Size))
}
