package doctor

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Flags of preadv2(2) and pwritev2(2).
const (
	rwfNoWait    = 0x08
	rwfDontCache = 0x80 // Linux 6.14
)

// probeSize is the number of bytes that probes read and write: a block on any device.
const probeSize = 4096

// fileChecks probes the file system of dir with a temporary file.
func fileChecks(dir string) []Check {
	f, err := os.CreateTemp(dir, ".sluice-doctor-*.tmp")
	if err != nil {
		return []Check{{
			Name: "probes", Status: Warn,
			Found:  fmt.Sprintf("cannot create a file in %s: %v", dir, cause(err)),
			Advice: "give --dir a directory that you can write to",
		}}
	}
	defer os.Remove(f.Name())
	defer f.Close()
	block := alignedBlock()
	if _, err := f.WriteAt(block, 0); err != nil {
		return []Check{{Name: "probes", Status: Warn, Found: fmt.Sprintf("cannot write %d bytes: %v", probeSize, cause(err))}}
	}
	return []Check{
		noWaitRead(f, block),
		noWaitWrite(f, block),
		dontCache(f, block),
		direct(f.Name(), block),
	}
}

// alignedBlock returns probeSize bytes at an address that suits O_DIRECT.
func alignedBlock() []byte {
	b := make([]byte, 2*probeSize)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (probeSize - 1)
	return b[skip : skip+probeSize]
}

func noWaitRead(f *os.File, block []byte) Check {
	_, err := unix.Preadv2(int(f.Fd()), [][]byte{block}, 0, rwfNoWait)
	c := answer("cached reads", err, "by calls that cannot wait (RWF_NOWAIT)")
	switch {
	case errors.Is(err, unix.EAGAIN): // RWF_NOWAIT works, but the block has left the page cache
		return answer(c.Name, nil, "by calls that cannot wait (RWF_NOWAIT)")
	case errors.Is(err, unix.EOPNOTSUPP):
		c.Found = "no RWF_NOWAIT: sluice cannot find out whether a read would wait"
	}
	if err != nil {
		c.Advice = "reads of cached data are ordinary calls here, on a bounded number of threads"
	}
	return c
}

func noWaitWrite(f *os.File, block []byte) Check {
	_, err := unix.Pwritev2(int(f.Fd()), [][]byte{block}, 0, rwfNoWait)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EAGAIN) {
		return Check{
			Name: "cached writes", Status: OK,
			Found: "no RWF_NOWAIT: buffered writes are ordinary calls, on a bounded number of threads",
		}
	}
	return answer("cached writes", err, "by calls that cannot wait (RWF_NOWAIT)")
}

func dontCache(f *os.File, block []byte) Check {
	_, err := unix.Preadv2(int(f.Fd()), [][]byte{block}, 0, rwfDontCache)
	if err != nil {
		return Check{Name: "uncached I/O", Status: OK, Found: "no RWF_DONTCACHE (Linux 6.14, and not on every file system)"}
	}
	return Check{Name: "uncached I/O", Status: OK, Found: "RWF_DONTCACHE"}
}

// direct checks whether the file can be read with O_DIRECT, and with which alignment.
func direct(name string, block []byte) Check {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		return directRefused(err)
	}
	defer f.Close()
	if _, err := f.ReadAt(block, 0); err != nil {
		return directRefused(err)
	}
	c := Check{Name: "O_DIRECT", Status: OK, Found: "available, " + alignment(f)}
	_, err = unix.Preadv2(int(f.Fd()), [][]byte{block}, 0, rwfNoWait)
	if errors.Is(err, unix.EOPNOTSUPP) {
		c.Status = Note
		c.Found += "; no RWF_NOWAIT"
		c.Advice = "direct I/O is done by ordinary calls here, on a bounded number of threads"
	}
	return c
}

// directRefused explains the error of direct I/O. A file system without O_DIRECT
// returns EINVAL.
func directRefused(err error) Check {
	c := Check{Name: "O_DIRECT", Status: Note}
	if !errors.Is(err, unix.EINVAL) {
		c.Found = fmt.Sprintf("unknown: %v", cause(err))
		return c
	}
	c.Found = "not on this file system"
	c.Advice = "put databases that do their own caching on ext4, xfs or btrfs"
	return c
}

// alignment returns the alignment that statx(2) reports since Linux 6.1.
func alignment(f *os.File) string {
	var st unix.Statx_t
	err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st)
	if err != nil || st.Mask&unix.STATX_DIOALIGN == 0 || st.Dio_offset_align == 0 {
		return "alignment unknown (4096 is safe)"
	}
	return fmt.Sprintf("offsets aligned to %d, memory to %d", st.Dio_offset_align, st.Dio_mem_align)
}

// answer returns the finding of a probe that works if err is nil.
func answer(name string, err error, found string) Check {
	if err != nil {
		return Check{Name: name, Status: Note, Found: "RWF_NOWAIT: " + err.Error()}
	}
	return Check{Name: name, Status: OK, Found: found}
}
