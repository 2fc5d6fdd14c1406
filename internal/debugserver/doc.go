// Package debugserver serves the live look (internal/live) of a program of "sluice build", at the
// address in SLUICE_DEBUG_ADDR.
//
//	address, err := debugserver.Listen("localhost:6060")
//
// It speaks as much HTTP/1.1 as browsers, curl and net/http need for a GET: one request a
// connection, no body. It makes the system calls for its sockets itself. With package net, a
// program that has no network would depend on the C library (with cgo), and with net/http it would
// be larger by several megabytes. A program that has net/http anyway uses package trace/live.
//
// # Bounds
//
// At most 8 connections are served at a time. A request's head has at most 8 KiB, and 5 seconds to
// arrive. The client has 30 seconds to read the answer.
//
// # Concurrency
//
// Any number of goroutines may call Listen.
package debugserver
