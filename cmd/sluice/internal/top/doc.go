// Package top shows the live look of a program in a terminal: `sluice top`.
//
//	url, err := top.Find(ctx, "4711") // or an address
//	figures, err := top.Fetch(ctx, url)
//	fmt.Print(top.Text(figures, 80, 0, false))
//
// The program answers with JSON (internal/live). [Show] asks again and again, and draws on the
// whole terminal. Names of files come from the program, so characters that a terminal would obey
// are escaped.
package top
