package blockdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// loop is a loop device of ours. It is removed when nobody has it open any
// more (LO_FLAGS_AUTOCLEAR), so that it does not outlive the process however
// that ends.
type loop struct{ node *os.File }

// openLoop makes a loop device over a file, with sectors of 512 bytes and direct
// I/O on the file, or with what comes nearest to that.
func openLoop(name string) (*Disk, error) {
	backing, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer backing.Close() // the device has its own
	l, note, err := attach(backing)
	if err != nil {
		return nil, err
	}
	d, err := l.open()
	if err != nil {
		return nil, errors.Join(err, l.remove())
	}
	d.loop = l
	if note != "" {
		d.about.Note = note
	}
	return d, nil
}

// attach makes a device over the file, and says in what it is not as wished.
// Direct I/O of 512 bytes is not to be had over a disk with larger sectors.
func attach(backing *os.File) (l *loop, note string, err error) {
	for _, try := range []struct {
		sector uint32
		direct bool
		note   string
	}{
		{smallestSector, true, ""},
		{largestSector, true, "writes are of 4096 bytes: the file under the loop device takes no smaller direct ones"},
		{smallestSector, false, "the loop device writes the file through the page cache: direct I/O is refused"},
	} {
		var direct bool
		if l, direct, err = configure(backing, try.sector, try.direct); err != nil {
			return nil, "", err
		}
		if direct == try.direct {
			return l, try.note, nil
		}
		if err := l.remove(); err != nil {
			return nil, "", err
		}
	}
	return nil, "", errors.New("the kernel makes loop devices of another kind than asked for")
}

// tries is how often somebody else may be quicker to take a free device.
const tries = 10

// configure makes a device, and says whether it does direct I/O.
func configure(backing *os.File, sector uint32, direct bool) (l *loop, isDirect bool, err error) {
	config := unix.LoopConfig{Fd: uint32(backing.Fd()), Size: sector}
	config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR
	copy(config.Info.File_name[:len(config.Info.File_name)-1], filepath.Base(backing.Name()))
	if direct {
		config.Info.Flags |= unix.LO_FLAGS_DIRECT_IO
	}
	for range tries {
		var node *os.File
		if node, err = freeLoop(); err != nil {
			return nil, false, err
		}
		if err = unix.IoctlLoopConfigure(int(node.Fd()), &config); err == nil {
			l = &loop{node}
			break
		}
		_ = node.Close()
		if !errors.Is(err, unix.EBUSY) {
			break
		}
	}
	if err != nil {
		return nil, false, os.NewSyscallError("LOOP_CONFIGURE", err)
	}
	info, err := unix.IoctlLoopGetStatus64(int(l.node.Fd()))
	if err != nil {
		return nil, false, errors.Join(os.NewSyscallError("LOOP_GET_STATUS64", err), l.remove())
	}
	return l, info.Flags&unix.LO_FLAGS_DIRECT_IO != 0, nil
}

// freeLoop opens a loop device that nobody uses.
func freeLoop() (*os.File, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return nil, os.NewSyscallError("LOOP_CTL_GET_FREE", err)
	}
	return os.OpenFile("/dev/loop"+strconv.Itoa(n), os.O_RDWR, 0)
}

// open opens the device for direct writes.
func (l *loop) open() (*Disk, error) {
	device, err := Host.Find(filepath.Base(l.node.Name()), 0)
	if err != nil {
		return nil, err
	}
	f, err := openExclusive(device.Path)
	if err != nil {
		return nil, err
	}
	return newDisk(f, device, fmt.Sprintf("%s, a loop device over a file in --dir", device.Path))
}

// remove takes the device off its file. Somebody who looks at it just now
// (udev) keeps it until they are done.
func (l *loop) remove() error {
	err := unix.IoctlSetInt(int(l.node.Fd()), unix.LOOP_CLR_FD, 0)
	return errors.Join(os.NewSyscallError("LOOP_CLR_FD", err), l.node.Close())
}
