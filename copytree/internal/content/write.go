package content

import (
	"io"
	"syscall"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/sys"
)

// write writes b at off. With option.SparseAlways zeros become holes.
func (j *job) write(b []byte, off int64) error {
	if j.c.cfg.Sparse == option.SparseAlways && j.dst.Kind == Regular {
		return j.writeSparse(b, off)
	}
	return j.writeAll(b, off)
}

// writeAll writes b at off with as many calls as necessary.
func (j *job) writeAll(b []byte, off int64) error {
	for len(b) > 0 {
		n, err := j.writeOnce(b, off)
		if err != nil {
			return err
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}

// maxStreamWrite is the most bytes in one write to a stream. A write to a terminal takes as long as
// the terminal shows it, and cannot be interrupted.
const maxStreamWrite = 64 << 10 // 64 KiB

// writeOnce makes one write, and counts and returns its bytes. 0 means that the caller must write
// again.
func (j *job) writeOnce(b []byte, off int64) (int, error) {
	if err := j.fault("write"); err != nil {
		return 0, fault.Dest("write", err)
	}
	n, err := j.writeCall(b, off)
	if err != nil {
		return 0, fault.Dest("write", err)
	}
	stream := j.dst.Kind == Stream
	switch e := syscall.Errno(-n); {
	case n == 0:
		return 0, fault.Dest("write", io.ErrUnexpectedEOF)
	case n > 0:
		j.wrote(int(n), off+int64(n))
		return int(n), nil
	case e == syscall.EINTR, stream && e == syscall.EAGAIN:
		return 0, nil
	default:
		return 0, fault.Dest("write", e)
	}
}

// writeCall makes one system call that writes b, and returns its result. The error comes from
// waiting for a stream.
func (j *job) writeCall(b []byte, off int64) (int32, error) {
	if j.dst.Kind == Stream {
		if err := j.await(j.dst.FD, output); err != nil {
			return 0, err
		}
		return sys.Write(j.dst.FD, b[:min(len(b), maxStreamWrite)]), nil
	}
	if !j.inOrder {
		n := sys.Pwrite(j.dst.FD, b, off)
		if n != -int32(syscall.ESPIPE) || off != j.result.Bytes {
			return n, nil
		}
		j.inOrder = true // like many files of /proc and tracefs
	}
	return sys.Write(j.dst.FD, b), nil
}

// wrote counts n written bytes that end at offset end.
func (j *job) wrote(n int, end int64) {
	j.result.Bytes += int64(n)
	j.length = max(j.length, end)
	if j.c.cfg.Wrote != nil {
		j.c.cfg.Wrote(int64(n))
	}
}
