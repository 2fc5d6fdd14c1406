// Package viewer keeps the page of a trace: `sluice trace view`. Package tracepage makes the page.
//
// [WriteFile] writes a page to a file, [Serve] serves it on this machine only. The tests here open
// pages in a browser.
package viewer
