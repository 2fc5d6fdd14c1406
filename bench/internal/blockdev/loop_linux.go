package blockdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Loop is a loop device of Attach. The kernel removes it when no process has it open and nothing is
// mounted from it (LO_FLAGS_AUTOCLEAR). So it does not outlive this process.
type Loop struct {
	Path string // of the device's node
	Note string // differences from the request; "" if there are none
	node *os.File
}

// Attach makes a loop device over the file, with sectors of 512 bytes and direct I/O on the file,
// or the nearest that the kernel allows. It needs root. The caller detaches it.
func Attach(name string) (*Loop, error) {
	backing, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer backing.Close() // the device has its own descriptor
	return attach(backing)
}

// openLoop makes a loop device over the file, and opens it for direct writes.
func openLoop(name string) (*Disk, error) {
	l, err := Attach(name)
	if err != nil {
		return nil, err
	}
	d, err := l.open()
	if err != nil {
		return nil, errors.Join(err, l.Detach())
	}
	d.loop = l
	if l.Note != "" {
		d.about.Note = l.Note
	}
	return d, nil
}

// attach tries one kind of device after another. On a disk with larger sectors, direct I/O of 512
// bytes fails.
func attach(backing *os.File) (*Loop, error) {
	for _, try := range []struct {
		sector uint32
		direct bool
		note   string
	}{
		{smallestSector, true, ""},
		{largestSector, true, "writes are of 4096 bytes: the file under the loop device takes no smaller direct ones"},
		{smallestSector, false, "the loop device writes the file through the page cache: direct I/O is refused"},
	} {
		l, direct, err := configure(backing, try.sector, try.direct)
		if err != nil {
			return nil, err
		}
		if direct == try.direct {
			l.Note = try.note
			return l, nil
		}
		if err := l.Detach(); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the kernel makes loop devices of another kind than asked for")
}

// tries is how often another process may take a free device first.
const tries = 10

// configure makes a device. isDirect reports whether it does direct I/O.
func configure(backing *os.File, sector uint32, direct bool) (l *Loop, isDirect bool, err error) {
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
			l = &Loop{Path: node.Name(), node: node}
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
		return nil, false, errors.Join(os.NewSyscallError("LOOP_GET_STATUS64", err), l.Detach())
	}
	return l, info.Flags&unix.LO_FLAGS_DIRECT_IO != 0, nil
}

// freeLoop opens an unused loop device.
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
func (l *Loop) open() (*Disk, error) {
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

// Detach takes the device off the file. If another process has it open, as udev may, the device
// stays until that process closes it.
func (l *Loop) Detach() error {
	err := unix.IoctlSetInt(int(l.node.Fd()), unix.LOOP_CLR_FD, 0)
	return errors.Join(os.NewSyscallError("LOOP_CLR_FD", err), l.node.Close())
}
