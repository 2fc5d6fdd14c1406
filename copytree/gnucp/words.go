package gnucp

import (
	"strings"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// word is a value of an option's argument, with its names.
type word[T comparable] struct {
	value T
	names []string
}

// The words of each option, in GNU's order.
var (
	sparseWords = []word[option.Sparse]{
		{option.SparseNever, []string{"never"}},
		{option.SparseAuto, []string{"auto"}},
		{option.SparseAlways, []string{"always"}},
	}
	reflinkWords = []word[option.Reflink]{
		{option.ReflinkAuto, []string{"auto"}},
		{option.ReflinkAlways, []string{"always"}},
		{option.ReflinkNever, []string{"never"}},
	}
	updateWords = []word[option.Existing]{
		{option.Overwrite, []string{"all"}},
		{option.Skip, []string{"none"}},
		{option.SkipFail, []string{"none-fail"}},
		{option.Older, []string{"older"}},
	}
	syncWords = []word[option.Sync]{
		{option.SyncFileSystem, []string{"fs"}},
		{option.SyncFiles, []string{"files"}},
	}
	backupWords = []word[backupType]{
		{backupNone, []string{"none", "off"}},
		{backupSimple, []string{"simple", "never"}},
		{backupExisting, []string{"existing", "nil"}},
		{backupNumbered, []string{"numbered", "t"}},
	}
	preserveWords = []word[option.Preserve]{
		{option.PreserveMode, []string{"mode"}},
		{option.PreserveTimes, []string{"timestamps"}},
		{option.PreserveOwner, []string{"ownership"}},
		{option.PreserveLinks, []string{"links"}},
		{option.PreserveContext, []string{"context"}},
		{option.PreserveXattr, []string{"xattr"}},
		{option.PreserveAll, []string{"all"}},
	}
)

// oneOf returns a function that sets variable to the argument's word, or to bare without an
// argument.
func oneOf[T comparable](variable *T, option string, words []word[T], bare T) func(*string) error {
	return func(arg *string) (err error) {
		if arg == nil {
			*variable = bare
			return nil
		}
		*variable, err = match(*arg, option, words)
		return err
	}
}

// match returns the value of a word, which may be abbreviated.
func match[T comparable](arg, option string, words []word[T]) (value T, err error) {
	var found []T
	for _, w := range words {
		for _, name := range w.names {
			switch {
			case name == arg:
				return w.value, nil
			case strings.HasPrefix(name, arg) && (len(found) == 0 || found[len(found)-1] != w.value):
				found = append(found, w.value)
			}
		}
	}
	switch len(found) {
	case 0:
		return value, wrongWord("invalid", arg, option, words)
	case 1:
		return found[0], nil
	}
	return value, wrongWord("ambiguous", arg, option, words)
}

func wrongWord[T comparable](what, arg, option string, words []word[T]) error {
	e := what + " argument " + quote(arg) + " for '" + option + "'\nValid arguments are:"
	for _, w := range words {
		e += "\n  - '" + strings.Join(w.names, "', '") + "'"
	}
	return usage(e)
}

// defaultPreserve is the attributes that -p preserves.
const defaultPreserve = option.PreserveMode | option.PreserveOwner | option.PreserveTimes

// setPreserve is --preserve[=LIST].
func (s *settings) setPreserve(list *string) error {
	if list == nil {
		s.preserve |= defaultPreserve
		s.noMode = false
		return nil
	}
	return eachAttribute(*list, "--preserve", func(p option.Preserve) {
		s.preserve |= p
		if p != option.PreserveAll {
			s.required |= p
		}
		s.noMode = s.noMode && p&option.PreserveMode == 0
	})
}

// setNoPreserve is --no-preserve=LIST.
func (s *settings) setNoPreserve(list *string) error {
	return eachAttribute(*list, "--no-preserve", func(p option.Preserve) {
		s.preserve &^= p
		s.required &^= p
		s.noMode = s.noMode || p&option.PreserveMode != 0
	})
}

func eachAttribute(list, option string, do func(option.Preserve)) error {
	for name := range strings.SplitSeq(list, ",") {
		p, err := match(name, option, preserveWords)
		if err != nil {
			return err
		}
		do(p)
	}
	return nil
}
