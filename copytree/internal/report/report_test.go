package report

import "testing"

// TestGuard checks that a callback breaks the report only if it panics.
func TestGuard(t *testing.T) {
	broken := 0
	r := &Report{Broken: func() { broken++ }}
	r.Guard(func() {})
	if broken != 0 {
		t.Error("a callback that has returned has broken the report")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of a callback has not gone on")
			}
		}()
		r.Guard(func() { panic("planted") })
	}()
	if broken != 1 {
		t.Errorf("Broken was called %d times after a panic; want once", broken)
	}
}
