// Package goflags parses command lines of the go command into flags, packages and the
// program's own arguments.
package goflags

import (
	"errors"
	"fmt"
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
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case command == "test" && (arg == "-args" || arg == "--args"):
			l.Rest = args
			return l, nil
		case len(arg) < 2 || arg[0] != '-':
			l.Packages = append(l.Packages, arg)
			if command == "run" {
				args = l.files(arg, args)
				l.Rest = args
				return l, nil
			}
		case (command == "build" || command == "install") && len(l.Packages) > 0:
			return nil, fmt.Errorf("flag %s comes after the packages", arg)
		default:
			if args, err = l.flag(arg, args); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
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

// files takes the Go files of go run that follow first, and returns the other
// arguments.
func (l *Line) files(first string, args []string) []string {
	if !strings.HasSuffix(first, ".go") {
		return args
	}
	for len(args) > 0 && strings.HasSuffix(args[0], ".go") {
		l.Packages = append(l.Packages, args[0])
		args = args[1:]
	}
	return args
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
