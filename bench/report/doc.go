// Package report formats results as readable text: tables and text that fit the terminal (a pipe
// gets unbroken lines), a progress line on a terminal, and figures with three digits.
//
//	report.SetWidth(80)
//	t := report.Table{{Head: "cell", Width: 20}, {Head: "ops/s", Width: 6, Align: report.Right}}
//	fmt.Print(t.Header(), t.Row("read-cached/4k/1", report.Count(1.25e6)))
//
// # Concurrency
//
// SetWidth must be called before anything else, and not concurrently. A Screen is for one goroutine
// at a time.
package report
