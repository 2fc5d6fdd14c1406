// Package duel measures several sides of one load against each other on a machine that is not
// quiet.
//
// Each slice is a process of its own: a worker, or fio. The addresses of its memory make one
// process several percent quicker than another of the same program for as long as it runs, so
// that slices of one process would all have the same error. The sides take turns, slice by slice,
// so that other load on the machine affects all of them. The order is reversed each round
// (A B, B A, A B …), so that no side always runs after another. Ratios are formed within a round.
package duel
