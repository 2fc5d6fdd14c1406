//go:build amd64 || arm64

package transparent

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/sched"
)

// file is a disk that uses a Scheduler. Its state is a field, so that opening a file makes one
// allocation: programs open many files for a single read.
type file struct {
	state state // state.Disk is the file itself
	sched *sched.Scheduler
	core  sched.ForeignFile
	fd    int
}

var _ disk = (*file)(nil)

func newFile(s *sched.Scheduler, fd int, k kind) *file {
	f := &file{sched: s, fd: fd}
	f.state.Disk, f.state.Seeks = f, k.direct
	f.core.Set(fd, k.direct, k.appends)
	f.prepare()
	return f
}

func (f *file) Read(p []byte) (int, error) {
	return f.sched.ReadCurrent(&f.core.File, f.portion(p))
}

func (f *file) Write(p []byte) (int, error) { return f.sched.WriteCurrent(&f.core.File, p) }

func (f *file) Pread(p []byte, off int64) (int, error) { return f.sched.Pread(&f.core.File, p, off) }

func (f *file) Pwrite(p []byte, off int64) (int, error) { return f.sched.Pwrite(&f.core.File, p, off) }

func (f *file) Fsync() error    { return f.sched.Sync(context.Background(), &f.core.File) }
func (f *file) Block(do func()) { f.sched.WithPermit(sched.Changes, &f.core.File, do) }

// Seek is lseek(2). It is called only for files with O_DIRECT. Their transfers at the position
// first move it over all bytes, and later back over the bytes not transferred. A Seek in between
// would be off by these.
func (f *file) Seek(offset int64, whence int) (pos int64, err error) {
	f.core.Position(func() { pos, err = syscall.Seek(f.fd, offset, whence) })
	return pos, err
}
