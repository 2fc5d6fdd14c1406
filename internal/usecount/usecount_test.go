package usecount

import (
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
)

// Close waits for the operations in progress, and lets no other operation start.
func TestClose(t *testing.T) {
	hang.Watch(t)
	var c Count
	c.Init()
	if !c.Use() {
		t.Fatal("Use = false; want true")
	}
	c.UseMore()
	begun, closed := make(chan bool), make(chan bool, 1)
	go func() { closed <- c.Close(func() { close(begun) }) }()
	<-begun
	if !c.Closing() || c.Use() || c.Close(func() {}) {
		t.Error("a file that is closing was used, or closed again")
	}
	c.Done()
	if !c.UseAgain() {
		t.Error("UseAgain = false while an operation is in progress; want true")
	}
	c.Done()
	if len(closed) != 0 {
		t.Error("Close has returned while an operation is in progress")
	}
	c.Done()
	if !<-closed {
		t.Error("Close = false; want true")
	}
	if c.UseAgain() || c.Use() {
		t.Error("a closed file was used")
	}
}

// Close of a file that nobody uses does not wait.
func TestCloseUnused(t *testing.T) {
	hang.Watch(t)
	var c Count
	c.Init()
	c.Use()
	c.Done()
	if !c.Close(func() {}) || c.Close(func() {}) {
		t.Error("Close = false, or twice true")
	}
}

// A Use of a closed file, which fails, raises the count for a moment. No goroutine can go on with
// that.
func TestUseAgainOfClosed(t *testing.T) {
	hang.Watch(t)
	var c Count
	c.Init()
	c.Close(func() {})
	c.refs.Add(1) // as Use does, before it fails
	if c.UseAgain() {
		t.Error("UseAgain = true of a closed file while a Use fails; want false")
	}
	c.Done()
	if len(c.unused) != 0 {
		t.Error("Close is told again that nobody uses the file")
	}
}

// Close waits for an operation that UseAgain has begun after the last one had ended and before
// Close has seen that.
func TestUseAgainBeforeClosed(t *testing.T) {
	hang.Watch(t)
	var c Count
	c.Init()
	c.Use()
	begun, ended := make(chan bool), make(chan bool, 1)
	go func() {
		ended <- c.Close(func() {
			c.Done()
			begun <- c.UseAgain()
		})
	}()
	if !<-begun {
		t.Fatal("UseAgain = false before Close has found the file unused; want true")
	}
	hang.Eventually(func() bool { return len(c.unused) == 0 }) // Close has looked again
	if c.refs.Load()&closed != 0 || len(ended) != 0 {
		t.Error("Close has ended while an operation is in progress")
	}
	c.Done()
	if !<-ended {
		t.Error("Close = false; want true")
	}
	if c.UseAgain() {
		t.Error("UseAgain = true of a closed file")
	}
}
