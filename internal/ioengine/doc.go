// Package ioengine carries requests into a driver and completions out of it.
//
//	r := requests.New()
//	r.Op.Code, r.Op.FD, r.Op.Buf = driver.Read, fd, b
//	e.Push(r)
//	r.Wait(ctx) // no thread waits
//	n := r.Op.Res
//	r.Free()
//
// An Engine (engine.go) is one driver, and the goroutines that submit to it and reap from it. Rings
// (rings.go) are the engines of several devices. A RequestSet (request_set.go) is many requests of
// one goroutine, which reaps their completions itself.
//
// There are three ways to learn of a request's end. A goroutine waits for it (Request.Wait). Its
// Client is called (Request.Client). Or its Client gives it to a RequestSet (RequestSet.End), whose
// owner takes it (RequestSet.Next). The caller decides which operations are queued, and what
// follows a short transfer or an error.
//
// # Concurrency
//
// All methods may be called at the same time, unless their comments say otherwise.
package ioengine
