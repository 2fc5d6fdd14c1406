// Package duel measures several sides of one load against each other on a
// machine that is not quiet.
//
// Each side runs in a worker process of its own, or is fio, of which each slice
// is a process. All workers of a cell are alive together and take turns, slice
// by slice, so that what the machine does meanwhile befalls all of them; the
// order is turned round each round (A B, B A, A B …), so that none is always the
// one who runs after the other. Ratios are formed within a round.
package duel
