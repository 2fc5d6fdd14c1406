package cp

import (
	"strings"

	"github.com/sluiceio/sluice/copytree"
)

// word is a value of an option's argument, and its names.
type word[T comparable] struct {
	value T
	names []string
}

// The words of each option, in GNU's order.
var (
	sparseWords = []word[copytree.Sparse]{
		{copytree.SparseNever, []string{"never"}},
		{copytree.SparseAuto, []string{"auto"}},
		{copytree.SparseAlways, []string{"always"}},
	}
	reflinkWords = []word[copytree.Reflink]{
		{copytree.ReflinkAuto, []string{"auto"}},
		{copytree.ReflinkAlways, []string{"always"}},
		{copytree.ReflinkNever, []string{"never"}},
	}
	updateWords = []word[copytree.Existing]{
		{copytree.Overwrite, []string{"all"}},
		{copytree.Skip, []string{"none"}},
		{copytree.SkipFail, []string{"none-fail"}},
		{copytree.Older, []string{"older"}},
	}
	syncWords = []word[copytree.Sync]{
		{copytree.SyncFileSystem, []string{"fs"}},
		{copytree.SyncFiles, []string{"files"}},
	}
	backupWords = []word[backupType]{
		{backupNone, []string{"none", "off"}},
		{backupSimple, []string{"simple", "never"}},
		{backupExisting, []string{"existing", "nil"}},
		{backupNumbered, []string{"numbered", "t"}},
	}
	preserveWords = []word[copytree.Preserve]{
		{copytree.PreserveMode, []string{"mode"}},
		{copytree.PreserveTimes, []string{"timestamps"}},
		{copytree.PreserveOwner, []string{"ownership"}},
		{copytree.PreserveLinks, []string{"links"}},
		{copytree.PreserveContext, []string{"context"}},
		{copytree.PreserveXattr, []string{"xattr"}},
		{copytree.PreserveAll, []string{"all"}},
	}
)

// oneOf returns a function that sets variable to the value of the argument's word, or
// to bare if the option has no argument.
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
const defaultPreserve = copytree.PreserveMode | copytree.PreserveOwner | copytree.PreserveTimes

// setPreserve is --preserve[=LIST].
func (s *settings) setPreserve(list *string) error {
	if list == nil {
		s.preserve |= defaultPreserve
		s.noMode = false
		return nil
	}
	return eachAttribute(*list, "--preserve", func(p copytree.Preserve) {
		s.preserve |= p
		if p != copytree.PreserveAll {
			s.required |= p
		}
		s.noMode = s.noMode && p&copytree.PreserveMode == 0
	})
}

// setNoPreserve is --no-preserve=LIST.
func (s *settings) setNoPreserve(list *string) error {
	return eachAttribute(*list, "--no-preserve", func(p copytree.Preserve) {
		s.preserve &^= p
		s.required &^= p
		s.noMode = s.noMode || p&copytree.PreserveMode != 0
	})
}

func eachAttribute(list, option string, do func(copytree.Preserve)) error {
	for name := range strings.SplitSeq(list, ",") {
		p, err := match(name, option, preserveWords)
		if err != nil {
			return err
		}
		do(p)
	}
	return nil
}
