package gnucp

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// FuzzParse checks that the message about a refused command line is printable. In an accepted
// command line, numbers must be within their bounds and operands must come from the line.
func FuzzParse(f *testing.F) {
	for _, args := range []string{
		"-a from to", "-rt dir a b", "--backup=numbered -S .old a b", "--concurrency 8 --block-size=256k a b", "--json= a b",
		"--sparse=alw --reflink --update=old a b", "--no-preserve=mode,links a b", "--preserve=\x1b[31m a b", "--c\x07 a b", "--sync=files a b",
	} {
		f.Add(strings.ReplaceAll(args, " ", "\x00"))
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		s, err := parse(args)
		if err != nil {
			if i := strings.IndexFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q: the message has %q at %d", line, err, i)
			}
			return
		}
		if s.concurrency < 0 || s.concurrency > maxConcurrency || s.blockSize != 0 && (s.blockSize < minBlockSize || s.blockSize > maxBlockSize) {
			t.Errorf("%q: concurrency %d, block size %d", line, s.concurrency, s.blockSize)
		}
		left := args
		for _, o := range s.operands {
			i := slices.Index(left, o)
			if i < 0 {
				t.Fatalf("%q: operand %q is not of the line, or in another order", line, o)
			}
			left = left[i+1:]
		}
	})
}
