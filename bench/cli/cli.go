// Package cli is shared by the commands of sluice: their output streams, the error of a wrong
// command line, the file of --json, and the version in bug reports.
//
//	func (c *command) Run(ctx context.Context, s cli.Streams) error {
//		if c.Dir == "" {
//			return cli.UsageError{Err: cli.ErrEmptyDir} // exit status 2
//		}
//		out, s, err := cli.CreateJSON(ctx, s, c.JSON) // first, so that a wrong name costs nothing
//		if err != nil {
//			return err
//		}
//		…
//		return out.Write(result)
//	}
package cli

import (
	"errors"
	"io"
)

// Stdio is the file name that means standard input or standard output. In cp it is an ordinary file
// name, as in GNU cp. ./- is always a file.
const Stdio = "-"

// Streams are a command's outputs: results go to Out, progress and errors to Err.
type Streams struct {
	Out, Err io.Writer
}

// UsageError marks an error of the command line. The command exits with status 2.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the error in the command line.
func (e UsageError) Unwrap() error { return e.Err }

// ErrEmptyDir is the error of an empty --dir, for instance from an unset variable in --dir="$dir".
var ErrEmptyDir = errors.New("--dir: the name is empty; want a directory, as in --dir /mnt/data")
