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
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/sluiceio/sluice/bench/internal/program"
)

// simulated is a file system in user space (FUSE). It has one file of zeros, and performs a fixed
// number of reads a second, however many are waiting.
type simulated struct {
	path   string // of the file
	point  string // mount point
	server *fuse.Server
}

const simulatedFile = "file"

// simulate mounts the file system in a new directory in dir. It needs root or fusermount3.
func simulate(dir string, size int64, iops int) (*simulated, error) {
	unmountStale(dir)
	point, err := os.MkdirTemp(dir, pointPattern)
	if err != nil {
		return nil, err
	}
	server, err := fs.Mount(point, &slowRoot{file: &slowFile{size: size, every: time.Second / time.Duration(iops)}}, &fs.Options{
		// If /dev/null cannot be opened, splicing panics in a goroutine of go-fuse, and the file
		// system stays mounted.
		MountOptions: fuse.MountOptions{Name: "sluice", FsName: "slow", DirectMount: true, DisableSplice: true},
		Logger:       log.New(io.Discard, "", 0),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot mount a file system in user space: %w", err), os.Remove(point))
	}
	return &simulated{path: filepath.Join(point, simulatedFile), point: point, server: server}, nil
}

// pointPattern is the pattern of the names of mount points.
const pointPattern = ".sluice-bench-*"

// unmountStale unmounts the file systems in dir whose process was killed.
func unmountStale(dir string) {
	points, _ := filepath.Glob(filepath.Join(dir, pointPattern))
	for _, point := range points {
		if _, err := os.Stat(point); !errors.Is(err, syscall.ENOTCONN) {
			continue // its process is running, or it is no mount point
		}
		_ = errors.Join(unmount(point), os.Remove(point)) // on failure the next run tries again
	}
}

// unmount unmounts a file system in user space, as root or by fusermount3. fusermount3 gets pipes,
// so that it needs no /dev/null.
func unmount(point string) error {
	if syscall.Unmount(point, 0) == nil {
		return nil
	}
	var output bytes.Buffer
	cmd := program.Command(context.Background(), "fusermount3", "-u", point)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(""), &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output.Bytes()))
	}
	return nil
}

func (s *simulated) close() error {
	var err error
	for range unmountTries {
		if err = s.server.Unmount(); err != nil { // go-fuse needs /dev/null for fusermount3
			err = unmount(s.point)
		}
		if err == nil {
			s.server.Wait()
			return os.Remove(s.point)
		}
		time.Sleep(unmountPause) // a killed process may still have it open
	}
	return fmt.Errorf("cannot unmount %s: %w", s.point, err)
}

const (
	unmountTries = 100
	unmountPause = 20 * time.Millisecond
)

// slowRoot is the root directory.
type slowRoot struct {
	fs.Inode
	file *slowFile
}

// OnAdd adds the file to the directory.
func (r *slowRoot) OnAdd(ctx context.Context) {
	r.AddChild(simulatedFile, r.NewPersistentInode(ctx, r.file, fs.StableAttr{Mode: syscall.S_IFREG}), false)
}

// slowFile is the one file.
type slowFile struct {
	fs.Inode
	size  int64
	every time.Duration // between the ends of two reads

	mu   sync.Mutex
	next time.Time // end of the last admitted read; guarded by mu
}

var (
	_ fs.NodeOnAdder   = (*slowRoot)(nil)
	_ fs.NodeOpener    = (*slowFile)(nil)
	_ fs.NodeGetattrer = (*slowFile)(nil)
	_ fs.NodeReader    = (*slowFile)(nil)
)

// Getattr returns the size.
func (f *slowFile) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = 0o444, uint64(f.size)
	return 0
}

// Open makes reads bypass the page cache.
func (f *slowFile) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

// Read returns zeros when its time has come.
func (f *slowFile) Read(ctx context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	end := time.NewTimer(time.Until(f.admit()))
	defer end.Stop()
	select {
	case <-end.C:
	case <-ctx.Done():
		return nil, syscall.EINTR
	}
	n := max(0, min(int64(len(dest)), f.size-off))
	clear(dest[:n])
	return fuse.ReadResultData(dest[:n]), 0
}

// admit returns the time at which a read that arrives now ends.
func (f *slowFile) admit() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); f.next.Before(now) {
		f.next = now
	}
	f.next = f.next.Add(f.every)
	return f.next
}
