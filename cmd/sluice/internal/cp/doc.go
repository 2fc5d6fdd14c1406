// Package cp is the command `sluice cp`: GNU cp's command line, messages and
// exit status over package copytree, with progress, syncs and --resume.
//
// A run goes through these steps, each in a file of its own:
//
//	arguments   flags.go, words.go    the command line, into settings.go
//	plan        plan.go, parents.go   which source goes where
//	copy        copytree.CopyAll      with backup.go and ask.go as its hooks
//	report      messages.go           GNU cp's wording of its errors
//	            screen.go, line.go    -v and the progress line
//	            summary.go            --stats and --json
//
// docs/cp.md lists every intended difference from GNU cp.
package cp
