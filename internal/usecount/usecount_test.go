package usecount

import (
	"testing"

	"github.com/sluiceio/sluice/internal/hang"
)

// Close waits for the operations in progress, and lets no other start.
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
