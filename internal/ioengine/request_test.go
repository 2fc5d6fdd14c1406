package ioengine

import "github.com/sluiceio/sluice/internal/driver"

// newRequest makes an operation that a goroutine can wait for.
func newRequest(off int64) *Request {
	r := &Request{done: make(chan struct{}, 1)}
	r.Op = driver.Op{Off: off, Owner: r}
	return r
}
