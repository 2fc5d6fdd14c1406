package duel

import (
	"net"
	"sync"
)

// sink is the destination of load.ServeFile. It reads from TCP connections on the loopback
// interface, and drops the data. It is in the parent, because a program that serves files and its
// clients are different processes.
type sink struct {
	listener net.Listener
	all      sync.WaitGroup // the goroutines
}

// sinkBuffer is the number of bytes in one read.
const sinkBuffer = 256 << 10 // 256 KiB

func newSink() (*sink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{listener: l}
	s.all.Go(s.accept)
	return s, nil
}

func (s *sink) address() string { return s.listener.Addr().String() }

// accept takes connections until the listener is closed.
func (s *sink) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.all.Go(func() {
			defer c.Close()
			buf := make([]byte, sinkBuffer)
			for {
				if _, err := c.Read(buf); err != nil { // the worker has ended
					return
				}
			}
		})
	}
}

// close ends the sink, which may be nil, after the workers have ended.
func (s *sink) close() {
	if s == nil {
		return
	}
	_ = s.listener.Close()
	s.all.Wait()
}
