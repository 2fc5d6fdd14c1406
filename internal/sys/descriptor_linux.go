//go:build amd64 || arm64

package sys

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Descriptor identifies the file of a descriptor. Same later reports whether the descriptor still
// belongs to that file: a program may close descriptors that it has not opened, and the system
// gives their numbers to other files.
//
// A field other than open is zero if the system did not say: there is no /proc, or the process has
// no descriptor left to open fdinfo. Then the other fields decide. To take the file for another one
// would leave it open for good.
type Descriptor struct {
	fd       int
	open     bool // false also without a descriptor to describe
	dev, ino uint64
	name     string // as in /proc/self/fd
	id       string // of an eventfd, since Linux 5.2
}

// Describe returns the Descriptor of fd.
func Describe(fd int) Descriptor {
	d := Descriptor{fd: fd}
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	d.open = err != unix.EBADF
	if err == nil {
		d.dev, d.ino = st.Dev, st.Ino
	}
	number := strconv.Itoa(fd)
	var name [64]byte
	if n, err := unix.Readlink("/proc/self/fd/"+number, name[:]); err == nil {
		d.name = string(name[:n])
	}
	// All eventfds have the same inode.
	if strings.HasSuffix(d.name, "[eventfd]") {
		d.id = eventfdID("/proc/self/fdinfo/" + number)
	}
	return d
}

// Same reports whether the descriptor still belongs to the file that Describe has seen.
func (d Descriptor) Same() bool {
	if !d.open {
		return false
	}
	now := Describe(d.fd)
	inode := d.ino == 0 || now.ino == 0 || d.dev == now.dev && d.ino == now.ino
	name := d.name == "" || now.name == "" || d.name == now.name
	id := d.id == "" || now.id == "" || d.id == now.id
	return now.open && inode && name && id
}

// eventfdID returns the number of an eventfd, which no other eventfd has.
func eventfdID(info string) string {
	b, _ := readWhole(info)
	for line := range strings.Lines(string(b)) {
		if id, ok := strings.CutPrefix(line, "eventfd-id:"); ok {
			return strings.TrimSpace(id)
		}
	}
	return ""
}
