// Package openfiles ends a program that may hardly open a file, with a message, before packages
// that do not expect this are initialized. The Go runtime ends with a stack trace if it cannot
// make its descriptors, and package splice of go-fuse panics in its initialization.
//
// A program imports it for its effect:
//
//	import _ "github.com/sluiceio/sluice/cmd/sluice/internal/openfiles"
//
// The language specification has the order: of the packages whose imports are initialized, the
// one whose path sorts first is the next. This package imports what package syscall imports,
// so it is initialized before those that import os and the like.
package openfiles
