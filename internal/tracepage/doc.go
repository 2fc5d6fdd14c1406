// Package tracepage makes a web page of a trace: of "sluice trace view", and of the live look
// (package live).
//
// The page is one file. It contains its script, its styles, and the operations as compressed
// columns. Its content security policy forbids all network access. [Write] writes the page.
//
// The page's script is in page/js, one module for each concern; main.js describes how they fit
// together. third_party is the code of others.
//
// A program of "sluice build" has this package in it, so it imports few packages.
package tracepage
