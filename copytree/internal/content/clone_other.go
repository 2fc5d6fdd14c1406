//go:build !linux

package content

import "errors"

// clone is Linux's.
func (j *job) clone() (cloned bool, err error) {
	if j.c.cfg.Reflink == ReflinkAlways {
		return false, &Error{"ioctl FICLONE", false, errors.ErrUnsupported}
	}
	return false, nil
}

// remote is for copy_file_range(2), which is not called here.
func remote(dst, src int) bool { return false }

func (j *job) copyRange(from, to int64) (end int64, err error) { return j.spanHere(from, to) }

// splices is whether splice(2) copies, which is Linux's.
func (j *job) splices() bool { return false }

func (j *job) splice(from, to int64) (end int64, err error) { return j.spanHere(from, to) }

// pipes are what splice(2) goes through.
type pipes struct{}

func newPipes() pipes { return pipes{} }

func (pipes) close() {}
