package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// fuzzRule is a difference that is meant.
type fuzzRule struct {
	why string
	// meant reports whether the two are not to be compared, or takes what is meant out of them.
	meant func(gnu, ours *fuzzed, commands string) bool
}

// fuzzRules are all the differences that TestCpFuzz lets pass. docs/cp.md has them, too.
var fuzzRules = []fuzzRule{
	{
		"a directory is never copied into itself, and nothing is made before that is noticed",
		func(gnu, ours *fuzzed, _ string) bool {
			return ours.says("into itself") && (gnu.says("into itself") || gnu.says("File name too long") || gnu.says("will not create hard link"))
		},
	},
	{
		"the newest manual counts: GNU cp 9.1 names --no-clobber where later versions name -n",
		func(gnu, ours *fuzzed, _ string) bool {
			return gnu.says("--backup and --no-clobber are mutually exclusive") && ours.says("--backup is mutually exclusive with -n")
		},
	},
	{
		"the newest manual counts: -i that is answered with no makes the status 1, and -n is silent and succeeds",
		func(gnu, ours *fuzzed, _ string) bool {
			if gnu.says("overwrite '") {
				gnu.drop(func(line string) bool { return line == "status 0" || line == "status 1" })
				ours.drop(func(line string) bool { return line == "status 0" || line == "status 1" })
			}
			ours.drop(func(line string) bool { return strings.HasPrefix(line, "skipped '") })
			return false
		},
	},
	{
		"-v prints a copy when it is complete, and nothing of one that has failed",
		func(gnu, ours *fuzzed, _ string) bool {
			var failed string
			for _, line := range ours.output {
				if strings.HasPrefix(line, "E ") {
					failed += line + "\n"
				}
			}
			gnu.drop(func(line string) bool {
				from, to, ok := strings.Cut(line, " -> ")
				to, _, _ = strings.Cut(to, " (backup: ")
				bare := "E cp: " + strings.Trim(to, "'") + ": can make relative symbolic links only"
				return ok && !slices.Contains(ours.output, line) && says(failed, from, to, bare) ||
					strings.HasPrefix(line, "removed '") && says(failed, strings.TrimPrefix(line, "removed "))
			})
			return false
		},
	},
	{
		"directories of --parents get their attributes although a source could not be copied",
		func(gnu, ours *fuzzed, commands string) bool {
			if !strings.Contains(commands, "--parents") {
				return false
			}
			gnu.drop(func(line string) bool {
				return strings.HasPrefix(line, "E cp: '") && strings.HasSuffix(line, "': No such file or directory")
			})
			for name, text := range gnu.tree {
				if strings.HasPrefix(text, "d") && strings.HasPrefix(ours.tree[name], "d") {
					ours.tree[name] = text
				}
			}
			return false
		},
	},
	{
		"all sources are looked at before anything is copied: one that an earlier copy makes is not there yet",
		func(gnu, ours *fuzzed, _ string) bool {
			return slices.ContainsFunc(ours.output, func(line string) bool {
				m := missing.FindStringSubmatch(line)
				if m == nil || slices.Contains(gnu.output, line) {
					return false
				}
				name := strings.TrimPrefix(path.Clean(strings.ReplaceAll(m[1], "s/", "d/")), "DIR/"+here+"/")
				return gnu.tree[here+"/"+name] != "" || gnu.tree[here+"/"+path.Clean(m[1])] != ""
			})
		},
	},
	{
		"-p gives a directory the permissions of its source; GNU cp leaves the set-group-ID bit that a new one inherits",
		func(gnu, ours *fuzzed, _ string) bool {
			for name, text := range gnu.tree {
				if strings.HasPrefix(text, "dg") && "d"+text[2:] == ours.tree[name] {
					ours.tree[name] = text
				}
			}
			return false
		},
	},
	{
		"a symbolic link in the destination at the name of a file of the tree is replaced, and not written through",
		func(gnu, ours *fuzzed, commands string) bool {
			if !recursive.MatchString(commands) {
				return false
			}
			for name, text := range gnu.tree {
				if ours := ours.tree[name]; strings.HasPrefix(text, "L") && strings.HasPrefix(ours, "-") {
					return true
				}
			}
			return false
		},
	},
	{
		"GNU cp 9.1 renames the backup of a file in another directory into the current one; 9.2 does not",
		func(gnu, ours *fuzzed, _ string) bool {
			for name, text := range gnu.tree {
				if ours.tree[name] != "" || path.Dir(name) != here || !backupName.MatchString(name) {
					continue
				}
				for other, same := range ours.tree {
					if same == text && path.Base(other) == path.Base(name) && gnu.tree[other] == "" {
						delete(gnu.tree, name)
						delete(ours.tree, other)
						break
					}
				}
			}
			return false
		},
	},
	{
		"a directory onto itself is refused once, and not for each of its entries",
		func(gnu, ours *fuzzed, commands string) bool {
			same := func(line string) bool { return strings.Contains(line, "are the same file") }
			if recursive.MatchString(commands) && slices.ContainsFunc(gnu.output, same) && slices.ContainsFunc(ours.output, same) {
				gnu.drop(same)
				ours.drop(same)
			}
			return false
		},
	},
	{
		"-r -l -n of a directory onto itself is done already; GNU cp refuses the links to directories in it, with -n only",
		func(gnu, ours *fuzzed, _ string) bool {
			before := len(gnu.output)
			gnu.drop(func(line string) bool {
				m := onItself.FindStringSubmatch(line)
				return m != nil && path.Clean(m[1]) == path.Clean(m[2])
			})
			if len(gnu.output) < before {
				gnu.drop(func(line string) bool { return line == "status 1" })
				ours.drop(func(line string) bool { return line == "status 0" })
			}
			return false
		},
	},
}

// here is the directory in which the commands run.
const here = "1/2/3/4/5/6"

var (
	missing    = regexp.MustCompile("^E cp: cannot stat '([^']*)': No such file")
	onItself   = regexp.MustCompile("^E cp: cannot overwrite non-directory '([^']*)' with directory '([^']*)'")
	recursive  = regexp.MustCompile(` (-r|-R|-a|--recursive|--archive)\b`)
	backupName = regexp.MustCompile(`(~|\.o|\.s|\.orig12)$`)
)

// says reports whether the messages name one of these quoted paths.
func says(messages string, quoted ...string) bool {
	return slices.ContainsFunc(quoted, func(q string) bool { return strings.Contains(messages, q) })
}

// says reports whether a line of the output contains text.
func (f *fuzzed) says(text string) bool { return says(strings.Join(f.output, "\n"), text) }

// drop removes lines of the output.
func (f *fuzzed) drop(line func(string) bool) { f.output = slices.DeleteFunc(f.output, line) }
