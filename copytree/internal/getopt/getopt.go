// Package getopt reads command lines as GNU's getopt_long(3) does. Short options may
// be clustered, with an argument after the last one (-rt DIR, -tDIR). Long options may
// be abbreviated as long as they are unique. Operands may stand between options, and --
// ends the options.
package getopt

import "strings"

// Arg is an option's need of an argument.
type Arg uint8

// The kinds of options.
const (
	None     Arg = iota
	Required     // -x ARG, -xARG, --long ARG, --long=ARG
	Optional     // only --long=ARG
)

// Option is an option of a command.
type Option struct {
	Short byte   // 0 if the option has none
	Long  string // "" if the option has none
	Arg   Arg
	// Own marks an option that the imitated program lacks. It does not make abbreviations of that
	// program's options ambiguous.
	Own bool
	// Set is called each time the option occurs, in order, so that the last one wins. arg is nil
	// without an argument. An error of Set ends the parsing.
	Set func(arg *string) error
}

// Error is an error in the command line.
type Error string

func (e Error) Error() string { return string(e) }

// Parse calls Set for the options in args, and returns the operands. With stopEarly the first
// operand ends the options, as in POSIX.
func Parse(args []string, options []Option, stopEarly bool) (operands []string, err error) {
	p := parser{args: args, options: options}
	for len(p.args) > 0 {
		arg := p.next()
		switch {
		case arg == "--":
			return append(operands, p.args...), nil
		case strings.HasPrefix(arg, "--"):
			err = p.long(arg[2:])
		case len(arg) > 1 && arg[0] == '-':
			err = p.short(arg[1:])
		case stopEarly:
			return append(append(operands, arg), p.args...), nil
		default:
			operands = append(operands, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return operands, nil
}

// parser is a command line that is being parsed.
type parser struct {
	args    []string // the remaining arguments
	options []Option
}

func (p *parser) next() string {
	arg := p.args[0]
	p.args = p.args[1:]
	return arg
}

// short parses a cluster of short options, without its dash.
func (p *parser) short(cluster string) error {
	for i := range len(cluster) {
		o := p.find(func(o *Option) bool { return o.Short == cluster[i] })
		if o == nil {
			return Error("invalid option -- '" + cluster[i:i+1] + "'")
		}
		if o.Arg == Required {
			return p.shortArg(o, cluster[i+1:])
		}
		if err := o.Set(nil); err != nil {
			return err
		}
	}
	return nil
}

// shortArg sets an option whose argument is the rest of its cluster or, if the rest is
// empty, the next argument.
func (p *parser) shortArg(o *Option, rest string) error {
	if rest == "" {
		if len(p.args) == 0 {
			return Error("option requires an argument -- '" + string(o.Short) + "'")
		}
		rest = p.next()
	}
	return o.Set(&rest)
}

// long parses a long option, without its dashes.
func (p *parser) long(text string) error {
	name, value, given := strings.Cut(text, "=")
	o, err := p.lookup(name, text)
	switch {
	case err != nil:
		return err
	case given && o.Arg == None:
		return Error("option '--" + o.Long + "' doesn't allow an argument")
	case given:
		return o.Set(&value)
	case o.Arg != Required:
		return o.Set(nil)
	case len(p.args) == 0:
		return Error("option '--" + o.Long + "' requires an argument")
	}
	value = p.next()
	return o.Set(&value)
}

// lookup returns the option of that name, or the only option whose name begins with it.
func (p *parser) lookup(name, text string) (*Option, error) {
	if o := p.find(func(o *Option) bool { return o.Long == name && name != "" }); o != nil {
		return o, nil
	}
	for _, own := range []bool{false, true} {
		var found []*Option
		for i := range p.options {
			if o := &p.options[i]; o.Own == own && o.Long != "" && strings.HasPrefix(o.Long, name) {
				found = append(found, o)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return nil, ambiguous(text, found)
		}
	}
	return nil, Error("unrecognized option '--" + text + "'")
}

func ambiguous(text string, found []*Option) error {
	e := "option '--" + text + "' is ambiguous; possibilities:"
	for _, o := range found {
		e += " '--" + o.Long + "'"
	}
	return Error(e)
}

func (p *parser) find(is func(*Option) bool) *Option {
	for i := range p.options {
		if is(&p.options[i]) {
			return &p.options[i]
		}
	}
	return nil
}
