// Package paths tests the paths of an operation: cached, plain call, queued. An operation takes
// the right one, has all its bytes on each, and allocates nothing.
package paths
