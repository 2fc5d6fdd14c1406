package testenv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A file system in user space for tests. It has the files of one directory, without directories in
// it, by the kernel's protocol (linux/fuse.h, 7.31). It is a separate process: a program that waits
// in the kernel for itself may hang.

func init() { Children["fuse"] = serveFUSE }

// serveFUSE mounts the directory SLUICE_TEST_DIR at SLUICE_TEST_MOUNT, prints that, and serves it
// until it is unmounted.
func serveFUSE() error {
	dev, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	dir, err := unix.Open(os.Getenv("SLUICE_TEST_DIR"), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	s := &fuseServer{dev: dev, dir: dir, how: os.Getenv("SLUICE_TEST_HOW"), nodes: map[uint64]*fuseNode{1: {fd: dir}}}
	switch s.how {
	case "records":
		s.requests, err = newRecorder(os.Getenv("SLUICE_TEST_DIR"))
	case "loses":
		s.ledger, err = openLedger(filepath.Join(os.Getenv("SLUICE_TEST_DIR"), ledgerName), 0)
	}
	if err != nil {
		return err
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", dev)
	if err := unix.Mount("sluice", os.Getenv("SLUICE_TEST_MOUNT"), "fuse.sluice", unix.MS_NODEV|unix.MS_NOSUID, options); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	fmt.Println("mounted")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(s.serve)
	}
	wg.Wait()
	return nil
}

type fuseServer struct {
	dev, dir int
	// how says what is special: the server "refuses" O_DIRECT, has a "writeback" cache, "loses"
	// writes (Lossy), "records" them, finds "no holes", or "notes" each statfs(2) (StatfsNote).
	how      string
	requests *recorder
	ledger   *lossLedger // nil if it loses no writes

	// reading is held by the goroutine that takes a request, until it has released forgotten nodes.
	// So the next request finds their room free.
	reading sync.Mutex

	mu    sync.Mutex
	nodes map[uint64]*fuseNode // by inode number
}

// fuseNode is a file that the kernel knows.
type fuseNode struct {
	fd      int // with O_PATH
	lookups uint64
}

// StatfsNote is the name of the file that a server which "notes" statfs(2) makes for each.
const StatfsNote = "statfs"

const fuseMaxWrite = 128 << 10 // 128 KiB

type fuseIn struct {
	_, op        uint32
	unique, node uint64
	_            [4]uint32 // of the asking process
}

type fuseOut struct {
	len    uint32
	errno  int32
	unique uint64
}

// The requests with answers, and FORGET, which has none.
const (
	fuseLookup = iota + 1
	fuseForget
	fuseGetattr
	fuseSetattr
	fuseUnlink      = 10
	fuseOpen        = 14
	fuseRead        = 15
	fuseWrite       = 16
	fuseStatfs      = 17
	fuseRelease     = 18
	fuseFsync       = 20
	fuseFlush       = 25
	fuseInit        = 26
	fuseOpendir     = 27
	fuseReleasedir  = 29
	fuseCreate      = 35
	fuseInterrupt   = 36
	fuseBatchForget = 42
	fuseFallocate   = 43
	fuseLseek       = 46
)

// serve answers requests until there are no more.
func (s *fuseServer) serve() {
	buf := make([]byte, fuseMaxWrite+8192)
	for {
		n, err := s.take(buf)
		if err != nil {
			return // ENODEV: unmounted
		}
		in := at[fuseIn](buf)
		switch in.op {
		case fuseForget, fuseInterrupt, fuseBatchForget: // they have no answer
			continue
		}
		body, err := s.answer(in, buf[unsafe.Sizeof(*in):n])
		out := fuseOut{unique: in.unique}
		if err != nil {
			body = nil
			out.errno = -int32(unix.EIO)
			if e, ok := errors.AsType[unix.Errno](err); ok {
				out.errno = -int32(e)
			}
		}
		out.len = uint32(int(unsafe.Sizeof(out)) + len(body))
		_, _ = unix.Write(s.dev, append(raw(&out), body...)) // ENOENT: the request was interrupted
	}
}

// take reads a request into buf.
func (s *fuseServer) take(buf []byte) (n int, err error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for {
		n, err = unix.Read(s.dev, buf)
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	if err != nil {
		return 0, err
	}
	in := at[fuseIn](buf)
	body := buf[unsafe.Sizeof(*in):n]
	switch in.op {
	case fuseRelease:
		unix.Close(int(*at[uint64](body)))
	case fuseForget:
		s.forget(in.node, *at[uint64](body))
	case fuseBatchForget:
		for i := range int(*at[uint32](body)) {
			f := at[[2]uint64](body[8+16*i:])
			s.forget(f[0], f[1])
		}
	}
	return n, nil
}

// forget undoes counts of lookup.
func (s *fuseServer) forget(id, lookups uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.nodes[id]; n != nil && id != 1 {
		n.lookups -= lookups
		if n.lookups == 0 {
			unix.Close(n.fd)
			delete(s.nodes, id)
		}
	}
}

// at returns the value at the beginning of b.
func at[T any](b []byte) *T { return (*T)(unsafe.Pointer(&b[0])) }

// raw returns a copy of v's memory.
func raw[T any](v *T) []byte {
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)))
}

// fuseName returns a string of the protocol.
func fuseName(b []byte) string {
	name, _, _ := strings.Cut(string(b), "\x00")
	return name
}

func (s *fuseServer) answer(in *fuseIn, b []byte) ([]byte, error) {
	switch in.op {
	case fuseLookup:
		return s.lookup(fuseName(b))
	case fuseGetattr:
		return s.attr(in.node)
	case fuseSetattr:
		return s.setattr(in.node, at[setattrIn](b))
	case fuseUnlink:
		return nil, unix.Unlinkat(s.dir, fuseName(b), 0)
	case fuseOpen:
		return s.open(in.node, int(*at[uint32](b)))
	case fuseRead:
		return fuseTransfer(false, at[transferIn](b), nil)
	case fuseWrite:
		return s.write(at[transferIn](b), b[unsafe.Sizeof(transferIn{}):])
	case fuseStatfs:
		if s.how == "notes" {
			fd, err := unix.Openat(s.dir, StatfsNote, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
			if err != nil {
				return nil, err
			}
			unix.Close(fd)
		}
		return s.statfs()
	case fuseFsync:
		return nil, s.fsync(int(*at[uint64](b)))
	case fuseOpendir:
		return make([]byte, 16), nil
	case fuseFlush, fuseRelease, fuseReleasedir:
		return nil, nil
	case fuseInit:
		return s.init(at[initIn](b)), nil
	case fuseCreate:
		return s.create(at[createIn](b), fuseName(b[unsafe.Sizeof(createIn{}):]))
	case fuseFallocate:
		return nil, s.fallocate(at[fallocateIn](b))
	case fuseLseek:
		return s.lseek(at[lseekIn](b))
	}
	return nil, unix.ENOSYS
}

type initIn struct{ major, minor, readahead, flags uint32 }

func (s *fuseServer) init(in *initIn) []byte {
	const bigWrites, writebackCache, maxPages = 1 << 5, 1 << 16, 1 << 22
	out := struct {
		initIn
		background, congestion uint16
		maxWrite, timeGran     uint32
		maxPages, _            uint16
		_                      [8]uint32
	}{initIn: initIn{7, 31, in.readahead, bigWrites | maxPages}}
	if s.how == "writeback" {
		out.flags |= writebackCache
	}
	out.background, out.congestion, out.maxWrite, out.timeGran, out.maxPages = 16, 12, fuseMaxWrite, 1, fuseMaxWrite>>12
	return raw(&out)
}

type fuseAttr struct {
	ino, size, blocks                    uint64
	_, mtime, ctime                      uint64
	_, mtimensec, ctimensec              uint32
	mode, nlink, uid, gid, _, blksize, _ uint32
}

// stat returns the attributes of a descriptor's file.
func (s *fuseServer) stat(fd int) (a fuseAttr, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return a, err
	}
	a = fuseAttr{
		ino: st.Ino, size: uint64(st.Size), blocks: uint64(st.Blocks),
		mtime: uint64(st.Mtim.Sec), mtimensec: uint32(st.Mtim.Nsec), ctime: uint64(st.Ctim.Sec), ctimensec: uint32(st.Ctim.Nsec),
		mode: st.Mode, nlink: uint32(st.Nlink), uid: st.Uid, gid: st.Gid, blksize: uint32(st.Blksize),
	}
	return a, nil
}

func (s *fuseServer) node(id uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nodes[id].fd
}

// path returns a name with which a node can be opened.
func (s *fuseServer) path(id uint64) string { return fmt.Sprintf("/proc/self/fd/%d", s.node(id)) }

func (s *fuseServer) attr(node uint64) ([]byte, error) {
	a, err := s.stat(s.node(node))
	out := struct {
		_ [2]uint64 // valid for no time
		a fuseAttr
	}{a: a}
	return raw(&out), err
}

type fuseEntry struct {
	node uint64
	_    [4]uint64 // generation, and valid for no time
	a    fuseAttr
}

func (s *fuseServer) lookup(name string) ([]byte, error) {
	fd, err := unix.Openat(s.dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	a, err := s.stat(fd)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes[a.ino] != nil {
		unix.Close(fd)
	} else {
		s.nodes[a.ino] = &fuseNode{fd: fd}
	}
	s.nodes[a.ino].lookups++
	return raw(&fuseEntry{node: a.ino, a: a}), nil
}

func (s *fuseServer) open(node uint64, flags int) ([]byte, error) {
	if flags&unix.O_DIRECT != 0 && s.how == "refuses" {
		return nil, unix.EINVAL
	}
	flags &^= unix.O_DIRECT | unix.O_NOFOLLOW
	if s.how == "writeback" && flags&unix.O_ACCMODE == unix.O_WRONLY {
		flags ^= unix.O_WRONLY | unix.O_RDWR // before a partial write the kernel reads
	}
	fd, err := unix.Open(s.path(node), flags|unix.O_CLOEXEC, 0)
	return raw(&[2]uint64{uint64(fd)}), err
}

type createIn struct{ flags, mode, umask, _ uint32 }

func (s *fuseServer) create(in *createIn, name string) ([]byte, error) {
	fd, err := unix.Openat(s.dir, name, unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC|int(in.flags)&unix.O_EXCL, in.mode&^in.umask)
	if err != nil {
		return nil, err
	}
	unix.Close(fd)
	entry, err := s.lookup(name)
	if err != nil {
		return nil, err
	}
	opened, err := s.open(at[fuseEntry](entry).node, int(in.flags)&^(unix.O_CREAT|unix.O_EXCL))
	return append(entry, opened...), err
}

type setattrIn struct {
	valid, _   uint32
	_, size, _ uint64
	_          [3]uint64
	_          [3]uint32
	mode       uint32
	_          [4]uint32
}

func (s *fuseServer) setattr(node uint64, in *setattrIn) ([]byte, error) {
	var err error
	if in.valid&1 != 0 {
		err = unix.Chmod(s.path(node), in.mode&0o7777)
	}
	if err == nil && in.valid&8 != 0 {
		err = unix.Truncate(s.path(node), int64(in.size))
	}
	if err != nil {
		return nil, err
	}
	return s.attr(node)
}

type transferIn struct {
	fh, off uint64
	size, _ uint32
	_       [2]uint64
}

func fuseTransfer(write bool, in *transferIn, data []byte) ([]byte, error) {
	if write {
		n, err := unix.Pwrite(int(in.fh), data[:in.size], int64(in.off))
		return raw(&[2]uint32{uint32(n)}), err
	}
	b := make([]byte, in.size)
	n, err := unix.Pread(int(in.fh), b, int64(in.off))
	return b[:max(n, 0)], err
}

type fallocateIn struct {
	fh, off, len uint64
	mode, _      uint32
}

type lseekIn struct {
	fh, off   uint64
	whence, _ uint32
}

// lseek finds data, and fails for holes. It is only for a server with "no holes"; other servers
// leave both to the kernel.
func (s *fuseServer) lseek(in *lseekIn) ([]byte, error) {
	if s.how != "no holes" {
		return nil, unix.ENOSYS
	}
	if in.whence == unix.SEEK_HOLE {
		return nil, unix.EIO
	}
	off, err := unix.Seek(int(in.fh), int64(in.off), int(in.whence))
	return raw(&off), err
}

func (s *fuseServer) statfs() ([]byte, error) {
	var st unix.Statfs_t
	err := unix.Fstatfs(s.dir, &st)
	out := struct {
		blocks, bfree, bavail, files, ffree uint64
		bsize, namelen, frsize              uint32
		_                                   [7]uint32
	}{st.Blocks, st.Bfree, st.Bavail, st.Files, st.Ffree, uint32(st.Bsize), 255, uint32(st.Frsize), [7]uint32{}}
	return raw(&out), err
}
