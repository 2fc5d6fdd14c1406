package blockdev

import "os"

// Loop is a loop device that Attach has made.
type Loop struct {
	Path string // of its node
	Note string // what is not as it was wished for, "" if all is
	loop *loop
}

// Attach makes a loop device over the file of that name, with direct I/O on the
// file if that can be. It takes root. The device goes when the caller detaches
// it and nothing is mounted from it, also if the process ends without that.
func Attach(name string) (*Loop, error) {
	backing, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer backing.Close() // the device has its own
	l, note, err := attach(backing)
	if err != nil {
		return nil, err
	}
	return &Loop{Path: l.node.Name(), Note: note, loop: l}, nil
}

// Detach takes the device off the file.
func (l *Loop) Detach() error { return l.loop.remove() }
