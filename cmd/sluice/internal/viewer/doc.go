// Package viewer makes a web page of a trace: `sluice trace view`.
//
// The page is one file. Its script and its styles are embedded, the operations
// are compressed columns within it, and its content security policy forbids
// all network. [Write] makes the page, [WriteFile] puts it into a file,
// [Serve] shows it on this machine alone.
//
// What the page does is in page/js, one module a concern; main.js says how they
// hang together. third_party has what is not ours.
package viewer
