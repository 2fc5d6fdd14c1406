package batch

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
)

// perform performs the operation, and notes how it ended.
func (op *Op) perform(r *run) {
	var err error
	switch {
	case op.kind == opReadFile:
		err = op.readFile(r)
	case op.kind <= lastNamed:
		err = op.named(r)
	case op.kind == opReadAt && op.open == nil:
		// As onFile does, one call deeper; see iopath.Paths.ReadCached.
		err = op.moved(op.file.ReadAtContext(r.ctx, op.buf, op.off))
	default:
		err = op.onFile(r)
	}
	withContext := err != nil && r.ctx.Err() != nil && errors.Is(err, r.ctx.Err())
	if withContext && op.n == 0 && !errors.Is(err, sched.ErrUnconfirmed) {
		op.skip(r.notBegun()) // the context's error means that nothing was done
		return
	}
	op.finish(err)
}

// named performs an operation that has a name, with a permit.
func (op *Op) named(r *run) error {
	call, err := r.core.BeginNamed(r.ctx, op.callKind())
	if err != nil {
		return err
	}
	err = r.b.call(op)
	call.End(recordKinds[op.kind], op.name, 0, 0, err)
	return err
}

// callKind returns the kind of the operation's plain call in a Budget.
func (op *Op) callKind() sched.CallKind {
	switch op.kind {
	case opStat, opLstat, opReadFile, opAdvise:
		return sched.Reads
	case opOpenFile:
		if op.off&int64(os.O_CREATE|os.O_TRUNC) == 0 {
			return sched.Reads
		}
	}
	return sched.Changes
}

// call makes the operation's plain call.
func (op *Op) call() error {
	if op.kind > lastNamed {
		return op.callOnRange()
	}
	return op.byName()
}

// byName performs an operation that has a name.
func (op *Op) byName() error {
	disk := inside.Scheduler(op.batch.scheduler).Disk
	switch {
	case disk != nil:
		return op.onDisk(disk)
	case (op.kind == opOpenFile || op.kind == opReadFile) && op.plain():
		return op.openRaw()
	case op.dir != nil:
		return op.inDir()
	}
	switch op.kind {
	case opOpenFile, opReadFile:
		return op.opened(os.OpenFile(op.name, int(op.off), op.perm))
	case opStat:
		return op.found(os.Stat(op.name))
	case opLstat:
		return op.found(os.Lstat(op.name))
	case opUnlink, opRmdir:
		return op.remove()
	case opMkdir:
		return os.Mkdir(op.name, op.perm)
	case opRename:
		return os.Rename(op.name, op.other)
	case opLink:
		return os.Link(op.name, op.other)
	case opSymlink:
		return os.Symlink(op.name, op.other)
	}
	panic(op.notNamed("byName"))
}

// onDisk is byName on a simulated disk, which has no directories.
func (op *Op) onDisk(disk handle.Disk) error {
	err := errors.ErrUnsupported
	switch {
	case op.dir != nil:
	case op.kind == opOpenFile, op.kind == opReadFile:
		return op.opened(disk.OpenFile(op.name, int(op.off), op.perm))
	case op.kind == opUnlink:
		err = disk.Remove(op.name)
	case op.kind == opRename:
		err = disk.Rename(op.name, op.other)
	}
	if err != nil {
		return op.wrap(err)
	}
	return nil
}

// opened notes the result of an open.
func (op *Op) opened(f *os.File, err error) error {
	if err != nil {
		return err
	}
	if err := op.keep(f); err != nil {
		return op.wrap(err)
	}
	return nil
}

// notNamed returns the text of the panic of a switch that has no case for op's kind.
func (op *Op) notNamed(where string) string {
	return fmt.Sprintf("batch: %s has no case for the kind %d (%v)", where, uint8(op.kind), op.kind)
}

// found notes the result of a stat.
func (op *Op) found(info os.FileInfo, err error) error {
	op.info = info
	return err
}

// keep stores a File of f, which op has opened.
func (op *Op) keep(f *os.File) error {
	file, err := op.batch.scheduler.FromOS(f)
	if err != nil {
		return errors.Unwrap(err) // the caller wraps it
	}
	inside.File(file).PrivatePosition()
	if op.file = file; !op.owned {
		op.out = file
	}
	return nil
}

// onFile performs an operation on an open file.
func (op *Op) onFile(r *run) error {
	if op.open != nil {
		if op.open.raw.open {
			return op.onRaw(r)
		}
		op.file = op.open.file
	}
	switch f := op.file; op.kind {
	case opReadAt:
		return op.moved(f.ReadAtContext(r.ctx, op.buf, op.off))
	case opWriteAt:
		return op.moved(f.WriteAtContext(r.ctx, op.buf, op.off))
	case opSync:
		return f.SyncContext(r.ctx)
	case opDatasync:
		return f.DatasyncContext(r.ctx)
	case opCloseFile:
		return op.close(r)
	}
	return op.onRange(r)
}

// moved stores how many bytes were transferred. It returns io.EOF unwrapped, as package os does.
func (op *Op) moved(n int, err error) error {
	op.n = n
	if op.allowShort && errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// close closes the file.
func (op *Op) close(r *run) (err error) {
	call := r.core.BeginNamedWithoutPermit()
	if op.open != nil {
		err = op.open.closeOwned()
	} else {
		err = op.file.Close()
	}
	call.End(recordKinds[op.kind], op.fileName(), 0, 0, err)
	return err
}

// fileName returns the name of the operation's file.
func (op *Op) fileName() string {
	if op.open != nil {
		return op.open.name
	}
	return op.file.Name()
}

// onRange allocates, truncates or advises.
func (op *Op) onRange(r *run) error {
	f, name, do := inside.File(op.file), osNames[op.kind], func() error { return op.callFile(r) }
	if op.kind == opTruncate {
		return f.Using(name, do) // package os checks the size
	}
	return f.OnRange(name, op.off, op.size, do)
}

// callFile makes a plain call on an open file, with a permit of the file's device.
func (op *Op) callFile(r *run) error {
	call, err := r.core.BeginOnFile(r.ctx, op.callKind(), inside.File(op.file).IO)
	if err != nil {
		return err
	}
	err = r.b.call(op)
	call.End(recordKinds[op.kind], op.fileName(), op.off, op.size, err)
	return err
}

// callOnRange makes the call that allocates, truncates or advises, as File's method does.
func (op *Op) callOnRange() (err error) {
	switch f := inside.File(op.file); op.kind {
	case opTruncate:
		return f.Truncate(op.size) // its error is wrapped
	case opAllocate:
		err = f.Allocate(op.off, op.size)
	case opAdvise:
		err = f.Advise(op.off, op.size, uint8(op.advice))
	default:
		panic(op.notNamed("callOnRange"))
	}
	if err != nil {
		return op.wrap(err)
	}
	return nil
}
