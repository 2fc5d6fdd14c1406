// Package duel measures several sides of one load against each other on a machine that is not
// quiet.
//
// Each slice is a new process: a worker, or fio. Because of the addresses of its memory, a process
// may be several percent faster than another of the same program for its whole life. Slices of one
// process would all have the same error. The sides take turns, slice by slice, so that other load
// on the machine affects all of them. The order is reversed each round (A B, B A, A B …), so that
// no side always runs after another. Ratios are formed within a round.
package duel
