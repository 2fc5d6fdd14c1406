// Package frozen tests operations on frozen file systems: deadlines end them, calls to other
// devices do not wait with them, and what needs no thaw is answered.
package frozen
