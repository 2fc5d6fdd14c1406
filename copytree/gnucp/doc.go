// Package gnucp is the command `sluice cp`: GNU cp's command line, messages and exit status, with
// progress, syncs and --resume.
//
//	status := gnucp.Run(ctx, gnucp.Command{
//		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "mycp v1",
//	})
//
// A program that copies trees uses package copytree, which returns errors instead of messages. Both
// have one engine.
//
// A run goes through these steps, each in separate files:
//
//	arguments   flags.go, words.go    the command line, into settings.go
//	plan        plan.go, parents.go   the destination of each source
//	copy        engine.Copy           with backup.go and ask.go as its hooks
//	report      messages.go           GNU cp's wording of its errors
//	            screen.go, line.go    -v and the progress line
//	            summary.go            --stats and --json
//
// docs/cp.md lists every intended difference from GNU cp.
//
// # Concurrency
//
// One Run at a time: it may change GOMAXPROCS for the rest of the process.
package gnucp
