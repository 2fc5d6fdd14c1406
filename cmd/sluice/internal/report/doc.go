// Package report shows results to people: tables that fit 80 columns and read
// the same in a pipe, a progress line on a terminal, figures with three
// digits.
package report
