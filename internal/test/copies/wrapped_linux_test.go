package copies

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// inverting is a connection that inverts all bytes. Its raw connection, for the options of the
// socket, is not package net's, so package os copies to it and from it by Write and Read.
type inverting struct{ net.Conn }

type otherRawConn struct{ syscall.RawConn }

func (c inverting) SyscallConn() (syscall.RawConn, error) {
	conn, err := c.Conn.(syscall.Conn).SyscallConn()
	return otherRawConn{conn}, err
}

func (c inverting) Write(b []byte) (int, error) { return c.Conn.Write(inverted(b)) }

func (c inverting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	copy(b, inverted(b[:n]))
	return n, err
}

func inverted(b []byte) []byte {
	b = bytes.Clone(b)
	for i := range b {
		b[i] = ^b[i]
	}
	return b
}

// TestSendToWrapped checks that a file goes to a connection that is not package net's by its Write.
func TestSendToWrapped(t *testing.T) {
	hang.Watch(t)
	data := testenv.Noise(100_000)
	name := filepath.Join(t.TempDir(), "file")
	testenv.Write(t, name, string(data))
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, network := range []string{"tcp", "unix"} {
			f, err := s.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			conn, peer := sockets(t, network)
			got := received(t, peer)
			n, err := f.WriteTo(inverting{conn})
			conn.Close()
			if n != int64(len(data)) || err != nil {
				t.Errorf("%s: WriteTo = %d, %v; want %d", network, n, err, len(data))
			}
			if b := <-got; !bytes.Equal(b, inverted(data)) {
				t.Errorf("%s: the peer has %d bytes that Write did not write", network, len(b))
			}
		}
	})
}

// TestReceiveFromWrapped checks that a file gets the bytes of the Read of a connection that is not
// package net's. The socket no longer has them.
func TestReceiveFromWrapped(t *testing.T) {
	hang.Watch(t)
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, network := range []string{"tcp", "unix"} {
			name := filepath.Join(t.TempDir(), "file")
			f, err := s.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			conn, peer := sockets(t, network)
			peer.Close()
			want := []byte("read before")
			read := buffered{inverting{conn}, bytes.NewReader(want)}
			n, err := f.ReadFrom(read)
			if n != int64(len(want)) || err != nil {
				t.Errorf("%s: ReadFrom = %d, %v; want %d", network, n, err, len(want))
			}
			if b, err := os.ReadFile(name); !bytes.Equal(b, want) {
				t.Errorf("%s: the file has %d bytes, %v; want the bytes that Read returns", network, len(b), err)
			}
		}
	})
}

// buffered has bytes that were already read from the connection.
type buffered struct {
	inverting
	have *bytes.Reader
}

func (c buffered) Read(b []byte) (int, error) {
	if c.have.Len() > 0 {
		return c.have.Read(b)
	}
	return c.inverting.Read(b)
}
