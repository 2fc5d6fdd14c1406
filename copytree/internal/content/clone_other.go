//go:build !linux

package content

import (
	"errors"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// clone fails: only Linux has FICLONE.
func (j *job) clone() (cloned bool, err error) {
	if j.c.cfg.Reflink == option.ReflinkAlways {
		return false, fault.Dest("ioctl FICLONE", errors.ErrUnsupported)
	}
	return false, nil
}

// isRemote returns false: no server is asked to copy.
func isRemote(dst, src int) bool { return false }

func (j *job) copyFileRange(from, to int64) (end int64, err error) { return j.readWrite(from, to) }

// maySplice returns false: only Linux has splice(2).
func (j *job) maySplice() bool { return false }

func (j *job) splice(from, to int64) (end int64, err error) { return j.readWrite(from, to) }

// pipes are the pipes for splice(2).
type pipes struct{}

func newPipes() pipes { return pipes{} }

func (pipes) close() {}
