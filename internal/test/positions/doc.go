// Package positions tests reads and writes at the position of a file. Several Files and an os.File
// may share a position.
package positions
