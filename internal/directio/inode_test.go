package directio

import (
	"testing"

	"github.com/sluiceio/sluice/internal/test/hang"
)

// TestSizeIsForgotten makes a file smaller after a read has asked for its size, and before the read
// stores the answer. The old size must not be stored.
func TestSizeIsForgotten(t *testing.T) {
	hang.Watch(t)
	const before = 8192
	var n inode
	forgotten := make(chan bool)
	size, err := n.askSize(func() (int64, error) {
		go func() {
			n.forgetSize() // as after a Truncate
			close(forgotten)
		}()
		hang.Eventually(func() bool { return waitsForAnswer(&n) || isClosed(forgotten) })
		return before, nil
	})
	<-forgotten
	if size != before || err != nil || n.size.Load() != 0 {
		t.Errorf("askSize = %d, %v, and %d is remembered; want %d, nil, and 0", size, err, n.size.Load(), before)
	}
}

// waitsForAnswer reports whether forgetSize waits for askSize to end: while a Lock waits, TryRLock
// fails.
func waitsForAnswer(n *inode) bool {
	if n.sizeMu.TryRLock() {
		n.sizeMu.RUnlock()
		return false
	}
	return true
}

func isClosed(c <-chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
