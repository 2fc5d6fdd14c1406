package testenv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// RecordName is a file in the served directory. A file system of MountFUSE that "records" appends
// to it each request to a file, in order. If there is one file, with a loop device of it, these are
// all requests to the device. See ReadRequests.
const RecordName = "requests"

// Request is a request to a device.
type Request struct {
	Off   int64
	Len   int64
	Data  []byte // nil means zeros
	Flush bool   // all earlier requests are on the device now
}

// recorder appends Requests to a file: a head of 3 numbers, and the bytes.
type recorder struct {
	mu   sync.Mutex // held during a request, so that the order in the file is the real one
	file *os.File
}

const (
	recordWrite = iota
	recordZeros
	recordFlush
)

func newRecorder(dir string) (*recorder, error) {
	f, err := os.OpenFile(filepath.Join(dir, RecordName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &recorder{file: f}, err
}

// record performs a request and appends it. A nil recorder only performs it.
func (r *recorder) record(kind uint64, off, n uint64, data []byte, do func() error) error {
	if r == nil {
		return do()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if kind != recordFlush { // the file is in memory: flushing is unnecessary
		if err := do(); err != nil {
			return err
		}
	}
	var b []byte
	for _, v := range []uint64{kind, off, n} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	_, err := r.file.Write(append(b, data...))
	return err
}

// write performs a FUSE_WRITE.
func (s *fuseServer) write(in *transferIn, data []byte) (answer []byte, err error) {
	if s.ledger.loses(data) {
		return nil, unix.EIO
	}
	err = s.requests.record(recordWrite, in.off, uint64(in.size), data[:in.size], func() error {
		answer, err = fuseTransfer(true, in, data)
		if err == nil {
			s.ledger.written(data[:in.size])
		}
		return err
	})
	return answer, err
}

func (s *fuseServer) fsync(fd int) error {
	return s.requests.record(recordFlush, 0, 0, nil, func() error { return unix.Fsync(fd) })
}

func (s *fuseServer) fallocate(f *fallocateIn) error {
	if f.mode&(unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_ZERO_RANGE) == 0 {
		return unix.Fallocate(int(f.fh), f.mode, int64(f.off), int64(f.len)) // no bytes change
	}
	return s.requests.record(recordZeros, f.off, f.len, nil, func() error {
		return unix.Fallocate(int(f.fh), f.mode, int64(f.off), int64(f.len))
	})
}

// ReadRequests reads the RecordName of a file system that "records". ends has the offsets at which
// the requests end in that file.
func ReadRequests(name string) (all []Request, ends []int64, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	const head = 3 * int(unsafe.Sizeof(uint64(0)))
	for at := 0; at < len(b); ends = append(ends, int64(at)) {
		if len(b)-at < head {
			return nil, nil, io.ErrUnexpectedEOF
		}
		kind := binary.LittleEndian.Uint64(b[at:])
		r := Request{Off: int64(binary.LittleEndian.Uint64(b[at+8:])), Len: int64(binary.LittleEndian.Uint64(b[at+16:]))}
		at += head
		switch kind {
		case recordWrite:
			if int64(len(b)-at) < r.Len {
				return nil, nil, io.ErrUnexpectedEOF
			}
			r.Data = b[at : at+int(r.Len)]
			at += int(r.Len)
		case recordFlush:
			r.Flush = true
		case recordZeros:
		default:
			return nil, nil, errors.New(name + ": unknown request " + fmt.Sprint(kind))
		}
		all = append(all, r)
	}
	return all, ends, nil
}
