// Package files tests the methods of File and the functions that open files. A call that package
// os has is compared with it, on all kinds of files. Contexts and calls on ranges are here, too.
package files
