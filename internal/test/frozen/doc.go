// Package frozen tests operations on frozen file systems. Deadlines must end them. Calls to other
// devices must not wait with them. The file system must still answer operations that need no thaw.
package frozen
