// Package paths tests the paths of an operation: cached, plain call, queued. An operation must take
// the right one, have all its bytes on each, and allocate nothing.
package paths
