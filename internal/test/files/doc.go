// Package files tests the methods of File and the functions that open files. It compares each call
// with package os's, on all kinds of files. It also tests contexts and calls on ranges.
package files
