//go:build amd64 || arm64

package slowdisk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// simulated is a file system in user space (FUSE) with one file, of zeroes, that
// does so many reads a second, however many there are at a time.
type simulated struct {
	path   string // of the file
	point  string
	server *fuse.Server
}

const simulatedFile = "file"

// simulate mounts it. That takes root, or fusermount3.
func simulate(dir string, size int64, iops int) (*simulated, error) {
	sweep(dir)
	point, err := os.MkdirTemp(dir, pointPattern)
	if err != nil {
		return nil, err
	}
	server, err := fs.Mount(point, &slowRoot{file: &slowFile{size: size, every: time.Second / time.Duration(iops)}}, &fs.Options{
		// Splicing panics in a goroutine of its own where /dev/null cannot be opened, and
		// nobody unmounts then.
		MountOptions: fuse.MountOptions{Name: "sluice", FsName: "slow", DirectMount: true, DisableSplice: true},
		Logger:       log.New(io.Discard, "", 0),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot mount a file system in user space: %w", err), os.Remove(point))
	}
	return &simulated{path: filepath.Join(point, simulatedFile), point: point, server: server}, nil
}

// pointPattern is how the directories are called that it is mounted on.
const pointPattern = ".sluice-bench-*"

// sweep unmounts what processes that were killed have left in dir.
func sweep(dir string) {
	points, _ := filepath.Glob(filepath.Join(dir, pointPattern))
	for _, point := range points {
		if _, err := os.Stat(point); !errors.Is(err, syscall.ENOTCONN) {
			continue // it has a server, or is something else
		}
		_ = errors.Join(unmount(point), os.Remove(point)) // what could not be unmounted stays
	}
}

// unmount unmounts a file system in user space: as root, or by fusermount3, which needs
// no /dev/null for its input and output.
func unmount(point string) error {
	if syscall.Unmount(point, 0) == nil {
		return nil
	}
	var said bytes.Buffer
	cmd := exec.Command("fusermount3", "-u", point)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(""), &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

func (s *simulated) close() error {
	var err error
	for range unmountTries {
		if err = s.server.Unmount(); err != nil { // go-fuse starts fusermount3 with /dev/null
			err = unmount(s.point)
		}
		if err == nil {
			s.server.Wait()
			return os.Remove(s.point)
		}
		time.Sleep(unmountPause) // a process that was killed may still have it open
	}
	return fmt.Errorf("cannot unmount %s: %w", s.point, err)
}

const (
	unmountTries = 100
	unmountPause = 20 * time.Millisecond
)

// slowRoot is the directory.
type slowRoot struct {
	fs.Inode
	file *slowFile
}

// OnAdd puts the file into the directory.
func (r *slowRoot) OnAdd(ctx context.Context) {
	r.AddChild(simulatedFile, r.NewPersistentInode(ctx, r.file, fs.StableAttr{Mode: syscall.S_IFREG}), false)
}

// slowFile is the file.
type slowFile struct {
	fs.Inode
	size  int64
	every time.Duration // between the ends of two reads

	mu   sync.Mutex
	next time.Time // when the next read ends. Under mu
}

var (
	_ fs.NodeOnAdder   = (*slowRoot)(nil)
	_ fs.NodeOpener    = (*slowFile)(nil)
	_ fs.NodeGetattrer = (*slowFile)(nil)
	_ fs.NodeReader    = (*slowFile)(nil)
)

// Getattr tells the size.
func (f *slowFile) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = 0o444, uint64(f.size)
	return 0
}

// Open has reads go past the page cache.
func (f *slowFile) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

// Read waits for its turn.
func (f *slowFile) Read(ctx context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	turn := time.NewTimer(time.Until(f.turn()))
	defer turn.Stop()
	select {
	case <-turn.C:
	case <-ctx.Done():
		return nil, syscall.EINTR
	}
	n := max(0, min(int64(len(dest)), f.size-off))
	clear(dest[:n])
	return fuse.ReadResultData(dest[:n]), 0
}

// turn tells when the read is to end that comes now.
func (f *slowFile) turn() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); f.next.Before(now) {
		f.next = now
	}
	f.next = f.next.Add(f.every)
	return f.next
}
