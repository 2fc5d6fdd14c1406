package content

import (
	"golang.org/x/sys/unix"
)

// clone shares the data of the source, if that is asked for and can be. An error
// is one only with ReflinkAlways.
func (j *job) clone() (cloned bool, err error) {
	always := j.c.cfg.Reflink == ReflinkAlways
	if !always && !j.mayClone() {
		return false, nil
	}
	err = unix.IoctlFileClone(j.dst.FD, j.src.FD)
	for err == unix.EINTR {
		err = unix.IoctlFileClone(j.dst.FD, j.src.FD)
	}
	switch err {
	case nil:
		j.pair.clone.granted()
		j.cloned()
		return true, nil
	case unix.EXDEV, unix.EOPNOTSUPP, unix.ENOTTY, unix.ENOSYS:
		j.pair.clone.never()
	default: // EINVAL, ETXTBSY, EPERM …: of these two files
		j.pair.clone.refused()
	}
	if always {
		return false, &Error{"ioctl FICLONE", false, err}
	}
	return false, nil
}

// mayClone tells whether ReflinkAuto tries it.
func (j *job) mayClone() bool {
	cfg := &j.c.cfg
	return cfg.Reflink == ReflinkAuto && cfg.Sparse == SparseAuto && j.src.Size > 0 && j.pair.clone.worth()
}

// cloned counts what is shared.
func (j *job) cloned() {
	data := min(j.src.Size, 512*j.src.Blocks)
	j.result = Result{How: Cloned, Bytes: data, Holes: j.src.Size - data}
}
