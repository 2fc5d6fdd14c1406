// Package viewer makes a web page of a trace: `sluice trace view`.
//
// The page is one file. It contains its script, its styles, and the operations as
// compressed columns. Its content security policy forbids all network access. [Write]
// writes the page, [WriteFile] writes it to a file, [Serve] serves it on this machine
// only.
//
// The page's script is in page/js, one module for each concern; main.js describes how
// they fit together. third_party is the code of others.
package viewer
