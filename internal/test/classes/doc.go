// Package classes tests classes of operations: their weights, limits and caps, the contexts and
// views that carry them, and how they end.
package classes
