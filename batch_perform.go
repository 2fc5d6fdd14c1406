package sluice

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// perform performs the operation by itself, and notes how it ended.
func (op *BatchOp) perform(r *batchRun) {
	var err error
	if op.kind <= lastNamed {
		err = op.named(r)
	} else {
		err = op.onFile(r)
	}
	if op.n == 0 && err != nil && r.ctx.Err() != nil && errors.Is(err, r.ctx.Err()) {
		op.skip(r.notBegun()) // the context's error means that nothing was done
		return
	}
	op.finish(err)
}

// named performs an operation that has a name, once the gate lets it through.
func (op *BatchOp) named(r *batchRun) error {
	call, err := r.core.EnterNames(r.ctx)
	if err != nil {
		return err
	}
	err = r.b.s.byCall(op)
	call.Leave(recordKinds[op.kind], op.name, 0, 0, err)
	return err
}

// byCall makes the plain call that the operation is.
func (op *BatchOp) byCall() error {
	if op.kind > lastNamed {
		return op.callOnRange()
	}
	return op.byName()
}

// byName performs an operation that has a name.
func (op *BatchOp) byName() error {
	switch {
	case op.kind == opOpenFile && op.plain():
		return op.openOwn()
	case op.dir != nil:
		return op.inDir()
	}
	switch op.kind {
	case opOpenFile:
		f, err := os.OpenFile(op.name, int(op.off), op.perm)
		if err != nil {
			return err
		}
		if err := op.keep(f); err != nil {
			return op.wrap(err)
		}
		return nil
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
	}
	return os.Symlink(op.name, op.other)
}

// found notes what was found.
func (op *BatchOp) found(info os.FileInfo, err error) error {
	op.info = info
	return err
}

// keep makes a File of one that was opened.
func (op *BatchOp) keep(f *os.File) error {
	file, err := op.batch.s.newFile(f)
	if err != nil {
		return err
	}
	if op.file = file; !op.closed {
		op.out = file
	}
	return nil
}

// onFile performs an operation on an open file.
func (op *BatchOp) onFile(r *batchRun) error {
	if op.open != nil {
		if op.open.own.open {
			return op.onOwn(r)
		}
		op.file = op.open.file
	}
	switch f := op.file; op.kind {
	case opReadAt:
		return op.moved(f.ReadAtContext(r.ctx, op.buf, op.off))
	case opWriteAt:
		return op.moved(f.WriteAtContext(r.ctx, op.buf, op.off))
	case opReadVec:
		return op.moved(f.readVec(r.ctx, op.bufs, op.off))
	case opWriteVec:
		return op.moved(f.writeVec(r.ctx, op.bufs, op.off))
	case opSync:
		return f.SyncContext(r.ctx)
	case opDatasync:
		return f.DatasyncContext(r.ctx)
	case opCloseFile:
		return op.close(r)
	}
	return op.onRange(r)
}

// moved notes how much was transferred. At the end of a file package os gives
// io.EOF as it is.
func (op *BatchOp) moved(n int, err error) error {
	op.n = n
	return err
}

// close closes the file.
func (op *BatchOp) close(r *batchRun) (err error) {
	call := r.core.BeginNamed()
	if op.open != nil {
		err = op.open.closeOwn()
	} else {
		err = op.file.Close()
	}
	call.End(recordKinds[op.kind], op.fileName(), 0, 0, err)
	return err
}

// fileName is the name of the operation's file.
func (op *BatchOp) fileName() string {
	if op.open != nil {
		return op.open.name
	}
	return op.file.Name()
}

// onRange allocates, truncates or advises.
func (op *BatchOp) onRange(r *batchRun) error {
	if core := op.file.h.Core; core != nil {
		if !core.Use() {
			return op.wrap(os.ErrClosed)
		}
		defer core.Done()
	}
	if err := op.checkRange(); err != nil {
		return op.wrap(err)
	}
	call, err := r.core.EnterNames(r.ctx)
	if err != nil {
		return err
	}
	err = r.b.s.byCall(op)
	call.Leave(recordKinds[op.kind], op.fileName(), op.off, op.size, err)
	return err
}

// callOnRange makes the call that allocates, truncates or advises.
func (op *BatchOp) callOnRange() error {
	f := op.file.h.OS
	if op.kind == opTruncate {
		return f.Truncate(op.size) // whose error is wrapped
	}
	err := handle.WithDescriptor(f, func(fd int) error { // of a file without disk I/O nobody has counted the operation
		if op.kind == opAllocate {
			return sys.Allocate(fd, op.off, op.size)
		}
		return sys.Advise(fd, op.off, op.size, uint8(op.advice))
	})
	if err != nil {
		return op.wrap(err)
	}
	return nil
}

func (op *BatchOp) checkRange() error {
	switch {
	case op.kind == opTruncate:
		return nil // package os has its own word for it
	case op.off < 0:
		return errors.New("negative offset")
	case op.size < 0:
		return errors.New("negative length")
	case op.kind == opAdvise && op.advice > AdviceDontNeed:
		return errors.New("advice is not one of the constants")
	}
	return nil
}

// vecOf are the operation's buffers.
func (op *BatchOp) vecOf() sched.Vec { return sched.VecOf(op.buf, op.bufs) }
