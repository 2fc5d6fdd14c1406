package front

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/gnucp"
)

// TestCpWords checks that completions offer the values that cp accepts: a wrong value gets all of
// them in the message.
func TestCpWords(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("LC_ALL", "C")
	item := regexp.MustCompile(`(?m)^  - '([^']*)'`)
	for name, words := range cpWords {
		if words.Words == nil {
			continue
		}
		var message strings.Builder
		status := gnucp.Run(t.Context(), gnucp.Command{
			Args: []string{name + "=?", "from", "to"}, In: strings.NewReader(""), Out: io.Discard, Err: &message,
		})
		var accepted []string
		for _, m := range item.FindAllStringSubmatch(message.String(), -1) {
			accepted = append(accepted, m[1])
		}
		if status != 1 || !slices.Equal(accepted, words.Words) {
			t.Errorf("%s: cp accepts %q (status %d); completions offer %q", name, accepted, status, words.Words)
		}
	}
}

// TestCpDescription checks that each flag of cp's description has a help and a group, and that
// cpWords names flags that there are.
func TestCpDescription(t *testing.T) {
	words := 0
	for _, f := range DescribeCp("", CpHelp()).Flags {
		if f.Help == "" || f.Group == "" {
			t.Errorf("%v has help %q in group %q; want both", f.Names, f.Help, f.Group)
		}
		if f.Words.Words != nil || f.Words.Files || f.Words.Dirs {
			words++
			if f.Value == "" {
				t.Errorf("%v has values in cpWords, and none in the help", f.Names)
			}
		}
	}
	if words != len(cpWords) {
		t.Errorf("%d flags of the help have values; cpWords has %d", words, len(cpWords))
	}
}
