// Package files tests the methods of File and the functions that open files: the calls of package os beside
// package os itself, on all kinds of files, and what a File has beyond these, as contexts and ranges.
package files
