// Package report shows results to people: tables and text that fit the
// terminal, and that nobody breaks in a pipe, a progress line on a terminal, figures with three
// digits.
package report
