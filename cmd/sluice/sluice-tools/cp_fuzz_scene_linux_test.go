package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// fuzzer makes random scenes: a tree and commands, as lines for sh. What a failing test prints can
// be put into testdata/cp.
type fuzzer struct {
	*rand.Rand
	root bool // the scene's user
}

func (f *fuzzer) pick(words ...string) string { return words[f.IntN(len(words))] }

// chance is true in one of n cases.
func (f *fuzzer) chance(n int) bool { return f.IntN(n) == 0 }

// longName is as long as names can be, but for a byte.
var longName = strings.Repeat("n", 254)

// name returns the name of something that may exist: few, so that things meet.
func (f *fuzzer) name() string {
	name := f.pick("a", "b", "c", "k", "m")
	if f.chance(40) {
		name = f.pick(longName, longName[:250], "a~", "a.~1~", "a.~18446744073709551615~", "-", "-r")
	}
	for range f.IntN(3) {
		name = f.pick("d", "e", "s", "d/x") + "/" + name
	}
	return name
}

func (f *fuzzer) dir() string { return f.pick("d", "e", "d/x", "e/x", "d/e", ".") }

// step returns a line that makes something, or changes it. It may fail, for both programs alike.
// Only FIFOs have the name p: to open one waits.
func (f *fuzzer) step() string {
	name := f.name()
	some := f.pick(name, name, f.dir())
	switch f.IntN(18) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("printf %s >./%s", f.pick("''", "text", "other", "longer_text"), name)
	case 4:
		return fmt.Sprintf("truncate -s %s ./%s", f.pick("0", "5000", "70000", "300000"), name)
	case 5:
		return fmt.Sprintf("truncate -s %s ./%[2]s; printf data | dd of=./%[2]s bs=1 seek=%[3]s conv=notrunc",
			f.pick("100000", "300000"), name, f.pick("0", "4096", "65536", "99990"))
	case 6, 7:
		return fmt.Sprintf("ln -s -- %s ./%s", f.pick(f.name(), f.name(), "nowhere", ".", "..", "d", `"$PWD/d"`, name, "../a"), name)
	case 8, 9:
		return fmt.Sprintf("ln ./%s ./%s", f.name(), name)
	case 10:
		return fmt.Sprintf("mkfifo %s/p", f.dir())
	case 11:
		return fmt.Sprintf("chmod %s ./%s", f.pick("600", "755", "640", "444", "4755", "2711", "1777", "000"), some)
	case 12:
		return fmt.Sprintf("touch -%sd '2001-02-03 04:05:%02d.123456789' ./%s", f.pick("h", "a", "m"), f.IntN(60), some)
	case 13:
		return fmt.Sprintf("setfattr -n user.%s -v %s ./%s", f.pick("one", "two"), f.pick("v", "w"), some)
	case 14:
		return fmt.Sprintf("setfacl -m %s ./%s", f.pick("u:1:rw", "g:2:r", "d:u:1:rwx"), some)
	case 15, 16:
		if f.root {
			return fmt.Sprintf("chown -h %d:%d ./%s", f.IntN(3), f.IntN(3), some)
		}
		return fmt.Sprintf("chmod %s %s", f.pick("700", "2755", "500"), f.dir())
	}
	return fmt.Sprintf("mkdir -p ./%s", f.pick(f.dir(), name))
}

// fuzzedFlags are the flags that both programs have, the frequent ones several times.
var fuzzedFlags = strings.Fields("-r -r -r -R --recursive -a -a -a --archive -p -P -d -H -L -L -l -l -s -s -f -f --force " +
	"-b --backup --backup=t --backup=simple --backup=nil --backup=none -S.o --suffix=.orig12 -n --no-clobber -u -u --update -v -v -x -T -T -i " +
	"--remove-destination --remove-destination --attributes-only --parents " +
	"--preserve=links --preserve=mode --preserve=timestamps --preserve=ownership --preserve=xattr --preserve=all --preserve=mode,links " +
	"--no-preserve=mode --no-preserve=links --no-preserve=ownership --no-preserve=timestamps --no-preserve=all --no-preserve=xattr " +
	"--sparse=always --sparse=never --sparse=auto --reflink=never --reflink=auto --copy-contents --no-target-directory --sym --deref -- -Z")

// operand returns a path in one of the ways in which it can be written.
func (f *fuzzer) operand() string {
	name := f.pick(f.name(), f.name(), f.dir())
	switch f.IntN(12) {
	case 0:
		return name + "/"
	case 1:
		return "./" + name
	case 2:
		return "d/../" + name
	case 3:
		return `"$PWD/"` + name
	case 4:
		return name + "/."
	case 5:
		return "s/" + name
	}
	return name
}

// command returns a command line.
func (f *fuzzer) command() string {
	words := []string{"cp"}
	if f.chance(20) {
		words = []string{f.pick("VERSION_CONTROL=t", "SIMPLE_BACKUP_SUFFIX=.s", "POSIXLY_CORRECT=1"), "$CP"}
	}
	for range f.IntN(5) {
		words = append(words, fuzzedFlags[f.IntN(len(fuzzedFlags))])
	}
	sources := 1
	if f.chance(3) {
		sources += f.IntN(3)
	}
	dst := f.operand()
	if f.chance(6) {
		words = append(words, "-t", dst)
		dst = ""
	}
	for range sources {
		words = append(words, f.operand())
	}
	return strings.TrimSpace(strings.Join(append(words, dst), " "))
}

// scene returns a scene of one to three commands.
func (f *fuzzer) scene() (setup, commands []string) {
	setup = []string{"mkdir -p d/x e s"}
	if f.chance(2) {
		setup = []string{"mkdir -p d/x e; ln -s d s"}
	}
	fifos := false
	for range 3 + f.IntN(12) {
		setup = append(setup, f.step())
		fifos = fifos || strings.HasPrefix(setup[len(setup)-1], "mkfifo")
	}
	for range 1 + f.IntN(3) {
		command := f.command()
		if fifos { // to read one waits for a writer
			command = strings.ReplaceAll(command, " --copy-contents", "")
		}
		commands = append(commands, command)
	}
	return setup, commands
}
