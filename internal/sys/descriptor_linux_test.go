//go:build amd64 || arm64

package sys

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestDescriptor checks that Same notices another file under the number, even if both files are
// eventfds, which have the same inode.
func TestDescriptor(t *testing.T) {
	file := func() (int, error) { return unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0) }
	event := func() (int, error) { return unix.Eventfd(0, unix.EFD_CLOEXEC) }
	epoll := func() (int, error) { return unix.EpollCreate1(unix.EPOLL_CLOEXEC) }
	for _, c := range []struct {
		name          string
		before, after func() (int, error)
	}{{"file", event, file}, {"eventfd", event, event}, {"epoll", event, epoll}} {
		t.Run(c.name, func(t *testing.T) {
			fd, err := c.before()
			if err != nil {
				skip.For(t, skip.Kernel, err)
			}
			defer unix.Close(fd)
			d := Describe(fd)
			if !d.Same() {
				t.Error("Same = false for a descriptor that was not changed")
			}
			other, err := c.after()
			if err != nil {
				skip.For(t, skip.Kernel, err)
			}
			defer unix.Close(other)
			if err := unix.Dup3(other, fd, unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
			if d.Same() && (c.name != "eventfd" || d.id != "") {
				t.Errorf("Same = true of another file; before it was %+v", d)
			}
		})
	}
	fd, err := event()
	if err != nil {
		skip.For(t, skip.Kernel, err)
	}
	d := Describe(fd)
	unix.Close(fd)
	if d.Same() {
		t.Error("Same = true of a closed descriptor")
	}
}

// TestDescriptorZero checks that descriptor 0 is as good as any other, even if the system says
// nothing about it. A Descriptor that Describe has not made matches nothing.
func TestDescriptorZero(t *testing.T) {
	if !Describe(0).open {
		skip.For(t, skip.Case, "there is no standard input")
	}
	unknown := Descriptor{fd: 0, open: true} // no /proc, and a sandbox forbids fstat
	if !unknown.Same() {
		t.Error("Same = false of descriptor 0")
	}
	if (Descriptor{}).Same() {
		t.Error("Same = true of no descriptor")
	}
}

// TestDescriptorNoneFree checks that Same knows an eventfd even while the process can open no
// descriptor to look at it.
func TestDescriptorNoneFree(t *testing.T) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		skip.For(t, skip.Kernel, err)
	}
	defer unix.Close(fd)
	before := Describe(fd)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	same, during := before.Same(), Describe(fd)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if during.id != "" {
		t.Fatal("the process could open a file")
	}
	if !same {
		t.Error("Same = false while no file can be opened")
	}
	if !during.Same() {
		t.Error("Same = false of what was described while no file could be opened")
	}
}
