// Package depths finds how much in flight keeps a device busy: reads of a file
// with O_DIRECT, at random, first few at once and then more and more.
package depths
