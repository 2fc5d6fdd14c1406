// Package positions tests reads and writes at the position of a file, which several Files and an
// os.File may share.
package positions
