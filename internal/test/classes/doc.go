// Package classes tests classes of operations: weights, limits and caps, contexts and views with a
// class, and the end of a class.
package classes
