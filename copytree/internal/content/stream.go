package content

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/sys"
)

// copyStream copies where one of the files is no regular one: from front to back,
// until a read returns nothing. Each piece is written as it comes. The destination
// gets holes only if it is a regular file and all zeros are to be holes.
func (j *job) copyStream() error {
	b, err := j.c.blocks.get(j.ctx)
	if err != nil {
		return &Error{"read", true, err}
	}
	defer j.c.blocks.put(b)
	j.stream = j.src.Kind == Stream
	for off := int64(0); ; {
		if err := j.ctx.Err(); err != nil {
			return &Error{"read", true, err}
		}
		n, err := j.read(b, off)
		if err != nil {
			return err
		}
		if n == 0 {
			return j.finish(off)
		}
		if err := j.put(b[:n], off); err != nil {
			return err
		}
		off += int64(n)
	}
}

// put writes b, which is at off.
func (j *job) put(b []byte, off int64) error {
	switch j.dst.Kind {
	case Stream:
		return j.writeNext(b, off)
	case Block:
		return j.writeAll(b, off)
	}
	return j.write(b, off)
}

// direction is what a stream is waited for.
type direction uint8

const (
	input direction = iota
	output
)

// readNext reads what comes next in a source that has no offsets.
func (j *job) readNext(b []byte) (int, error) {
	for {
		if err := j.await(j.src.FD, input); err != nil {
			return 0, &Error{"read", true, err}
		}
		n := sys.Read(j.src.FD, b)
		if n >= 0 {
			return int(n), nil
		}
		if e := syscall.Errno(-n); e != syscall.EINTR && e != syscall.EAGAIN {
			return 0, &Error{"read", true, e}
		}
	}
}

// pieceMost is what is written to a stream at once: a write to a terminal may take
// as long as that takes to show it, and cannot be ended.
const pieceMost = 64 << 10 // 64 KiB

// writeNext writes b, which is at off, to a destination that has no offsets.
func (j *job) writeNext(b []byte, off int64) error {
	for len(b) > 0 {
		if err := j.await(j.dst.FD, output); err != nil {
			return &Error{"write", false, err}
		}
		res := sys.Write(j.dst.FD, b[:min(len(b), pieceMost)])
		if res == -int32(syscall.EAGAIN) {
			continue
		}
		n, err := j.writeResult(res, off)
		if err != nil {
			return err
		}
		b, off = b[n:], off+int64(n)
	}
	return nil
}
