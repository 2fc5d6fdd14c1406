// Package duel measures several sides of one load against each other on a
// machine that is not quiet.
//
// Each side runs in a worker process of its own, or is fio, of which each slice
// is a process. All workers of a cell are alive together and take turns, slice
// by slice, so that other load on the machine affects all of them. The order
// is reversed each round (A B, B A, A B …), so that no side always runs after
// another. Ratios are formed within a round.
package duel
