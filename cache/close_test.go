package cache

import (
	"testing"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

// slowClose is a file whose Close waits, as for a read in progress, until the test lets it go.
type slowClose struct {
	Direct
	closing, letGo chan struct{}
}

func (s slowClose) Close() error {
	close(s.closing)
	<-s.letGo
	return nil
}

// TestCloseBesideFileClose closes a Cache while another goroutine closes one of its Files. The
// memory stays until the File is closed, as its reads may be in progress.
func TestCloseBesideFileClose(t *testing.T) {
	c, err := New(Options{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d := slowClose{closing: make(chan struct{}), letGo: make(chan struct{})}
	f := c.File(d)
	ended := make(chan error, 1)
	go func() { ended <- f.Close() }()
	<-d.closing
	if err := c.Close(); err != nil {
		t.Errorf("Close of the Cache = %v", err)
	}
	if c.held.Load() == 0 {
		t.Error("the memory was released while a File was being closed")
	}
	close(d.letGo)
	if err := <-ended; err != nil {
		t.Errorf("Close of the File = %v", err)
	}
	testenv.WaitFor(t, "the memory to be released", func() bool { return c.held.Load() == 0 })
}
