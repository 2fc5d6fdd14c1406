// Package goflags parses command lines of the go command into flags, packages and the
// program's own arguments.
package goflags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Line is the command line of one of the go command's commands.
type Line struct {
	// Dir is the directory of -C; "" is the working directory.
	Dir string
	// Flags are all other flags, in order, each value after "=".
	Flags []string
	// Select are the flags among them that choose packages and their files. go list
	// takes them too.
	Select []string
	// Vet is the value of -vet of go test.
	Vet string
	// Cover reports whether a flag asks for a coverage profile.
	Cover bool
	// ToolExec is the value of -toolexec.
	ToolExec string
	// Packages are patterns, or Go files.
	Packages []string
	// Rest are the arguments of the program, or of the test binaries.
	Rest []string

	environment []string // the flags of GOFLAGS
}

// booleans are the flags that take a value only after "=".
const booleans = "a asan buildvcs cover i json linkshared modcacherw msan n race trimpath v work x " +
	// of go test
	"artifacts benchmem c failfast fullpath short"

// valued are the flags that need a value.
const valued = "asmflags buildmode compiler coverpkg covermode exec gccgoflags gcflags installsuffix ldflags mod modfile o p pgo pkgdir tags toolexec " +
	// of go test
	"bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzzminimizetime fuzztime list " +
	"memprofile memprofilerate mutexprofile mutexprofilefraction outputdir parallel run shuffle skip timeout trace vet"

// selecting are the flags for Line.Select.
const selecting = "asan compiler installsuffix mod modfile msan race tags"

func has(list, name string) bool { return strings.Contains(" "+list+" ", " "+name+" ") }

// Parse parses the arguments of go build, go install, go run or go test.
func Parse(command string, args []string) (*Line, error) {
	l := new(Line)
	args, err := l.chdir(args)
	if err != nil {
		return nil, err
	}
	if command == "test" {
		if err := l.test(args); err != nil {
			return nil, err
		}
		return l, nil
	}
	behind := "the packages"
	for len(args) > 0 && isFlag(args[0]) {
		if args[0] == "--" { // the end of the flags
			args, behind = args[1:], "--"
			break
		}
		if args, err = l.flag(args[0], args[1:]); err != nil {
			return nil, err
		}
	}
	if command == "run" {
		args = l.program(args)
	}
	l.Packages = args
	for _, arg := range l.Packages {
		if isFlag(arg) {
			return nil, fmt.Errorf("flag %s comes after %s", arg, behind)
		}
	}
	return l, nil
}

// Environment takes over what the variable GOFLAGS says and the command line does not.
func (l *Line) Environment(goflags string) {
	l.environment = strings.Fields(goflags)
	if value, ok := last(l.environment, "vet"); ok && l.Vet == "" {
		l.Vet = value
	}
}

// AddTag adds a build tag to those that the command line has, or else GOFLAGS.
func (l *Line) AddTag(tag string) {
	value, ok := last(l.Flags, "tags")
	if !ok {
		value, _ = last(l.environment, "tags")
	}
	separator := ","
	if strings.Contains(value, " ") { // the form of old versions of go
		separator = " "
	}
	flag := "-tags=" + strings.TrimPrefix(value+separator+tag, separator)
	l.Flags, l.Select = append(l.Flags, flag), append(l.Select, flag)
}

// Clone returns a copy.
func (l *Line) Clone() *Line {
	c := *l
	c.Flags, c.Select, c.Packages = slices.Clone(l.Flags), slices.Clone(l.Select), slices.Clone(l.Packages)
	return &c
}

// Has reports whether a flag without a value is set, on the command line or by GOFLAGS.
func (l *Line) Has(name string) bool {
	value, ok := last(l.Flags, name)
	if !ok {
		value, ok = last(l.environment, name)
	}
	on, err := strconv.ParseBool(value)
	return ok && (on || err != nil)
}

// Set reports whether the command line or GOFLAGS has the flag.
func (l *Line) Set(name string) bool {
	_, here := last(l.Flags, name)
	_, there := last(l.environment, name)
	return here || there
}

// last returns the value of the last flag of that name, as the go command does. It is "" for a flag
// without one.
func last(flags []string, name string) (value string, ok bool) {
	for _, arg := range slices.Backward(flags) {
		flag, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if strings.TrimPrefix(flag, "test.") == name {
			return value, true
		}
	}
	return "", false
}

// isFlag reports whether the go command takes arg for a flag.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// test parses the arguments of go test. As there, flags may come before and after the packages,
// which are one after the other. An argument that is neither is the test binary's, with all that
// follow, and so is "--". After a flag that go does not have there are no packages: go does not
// know whether the next argument is that flag's value.
func (l *Line) test(args []string) (err error) {
	ended := false // the list of packages
	for len(args) > 0 {
		arg := args[0]
		switch {
		case arg == "-args" || arg == "--args":
			l.Rest = args[1:]
			return nil
		case arg == "--" || !isFlag(arg) && ended:
			l.Rest = args
			return nil
		case !isFlag(arg):
			l.Packages = append(l.Packages, arg)
			args = args[1:]
		default:
			if args, err = l.flag(arg, args[1:]); err != nil {
				return err
			}
			ended = len(l.Packages) > 0 || ended || !known(arg)
		}
	}
	return nil
}

// known reports whether go has the flag.
func known(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	name = strings.TrimPrefix(name, "test.")
	return has(booleans, name) || has(valued, name)
}

// chdir takes -C, which the go command accepts only as the first flag.
func (l *Line) chdir(args []string) (rest []string, err error) {
	if len(args) == 0 {
		return args, nil
	}
	name, dir, ok := strings.Cut(strings.TrimPrefix(args[0], "-"), "=")
	switch {
	case name != "-C" && name != "C" || args[0] == name:
		return args, nil
	case ok:
		l.Dir, args = dir, args[1:]
	case len(args) > 1:
		l.Dir, args = args[1], args[2:]
	}
	if l.Dir == "" {
		return nil, errors.New("flag -C has no value")
	}
	return args, nil
}

// program splits the arguments of go run behind its flags: into the package, or the Go files,
// which it returns, and those of the program.
func (l *Line) program(args []string) []string {
	n := min(1, len(args))
	if n > 0 && strings.HasSuffix(args[0], ".go") {
		for n < len(args) && strings.HasSuffix(args[n], ".go") {
			n++
		}
	}
	l.Rest = args[n:]
	return args[:n]
}

// flag takes a flag, and its value if that is the next argument.
func (l *Line) flag(arg string, args []string) (rest []string, err error) {
	name, value, ok := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	switch plain := strings.TrimPrefix(name, "test."); {
	case plain == "overlay":
		return nil, errors.New("flag -overlay is sluice's own")
	case name == "C":
		return nil, errors.New("flag -C is not the first")
	case ok:
	case has(booleans, plain):
		arg = "-" + name
	case has(valued, plain):
		if len(args) == 0 {
			return nil, fmt.Errorf("flag -%s has no value", name)
		}
		value, args = args[0], args[1:]
	default:
		return nil, fmt.Errorf("flag -%s is unknown; if it has a value, write it after =", name)
	}
	if ok || has(valued, strings.TrimPrefix(name, "test.")) {
		arg = "-" + name + "=" + value
	}
	l.Flags = append(l.Flags, arg)
	if has(selecting, name) {
		l.Select = append(l.Select, arg)
	}
	switch name {
	case "vet":
		l.Vet = value
	case "toolexec":
		l.ToolExec = value
	case "cover":
		l.Cover = value != "false"
	case "covermode", "coverpkg", "coverprofile":
		l.Cover = true
	}
	return args, nil
}
