package content

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// clone shares the data of the source, if Config.Reflink allows it and the file system can. A
// refusal is an error only with option.ReflinkAlways.
func (j *job) clone() (cloned bool, err error) {
	always := j.c.cfg.Reflink == option.ReflinkAlways
	if !always && !j.mayClone() {
		return false, nil
	}
	err = unix.IoctlFileClone(j.dst.FD, j.src.FD)
	for err == unix.EINTR {
		err = unix.IoctlFileClone(j.dst.FD, j.src.FD)
	}
	switch err {
	case nil:
		j.pair.clone.worked()
		j.cloned()
		return true, nil
	case unix.EXDEV, unix.EOPNOTSUPP, unix.ENOTTY, unix.ENOSYS:
		j.pair.clone.never()
	default: // EINVAL, ETXTBSY, EPERM …: perhaps only these two files are refused
		j.pair.clone.refused()
	}
	if always {
		return false, fault.Dest("ioctl FICLONE", err)
	}
	return false, nil
}

// mayClone reports whether option.ReflinkAuto tries to share data.
func (j *job) mayClone() bool {
	cfg := &j.c.cfg
	return cfg.Reflink == option.ReflinkAuto && cfg.Sparse == option.SparseAuto && j.src.Size > 0 && j.pair.clone.mayWork()
}

// cloned counts the shared data.
func (j *job) cloned() {
	data := min(j.src.Size, 512*j.src.Blocks)
	j.result = Result{How: Cloned, Bytes: data, Holes: j.src.Size - data}
}
