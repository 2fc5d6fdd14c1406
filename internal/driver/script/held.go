package script

import "github.com/sluiceio/sluice/internal/driver"

// Held is a Driver whose Submit takes operations, and returns only when it is released.
type Held struct {
	*Driver
	Released chan struct{} // a test closes it to let Submit return
	Entered  chan struct{} // holds a value when Submit has been entered
}

// NewHeld returns a Held that has room for depth operations.
func NewHeld(depth int) Held {
	return Held{New(depth), make(chan struct{}), make(chan struct{}, 1)}
}

// Submit takes ops as the Driver does.
func (h Held) Submit(ops []*driver.Op) (int, error) {
	n, err := h.Driver.Submit(ops)
	select {
	case h.Entered <- struct{}{}:
	default:
	}
	<-h.Released
	return n, err
}
