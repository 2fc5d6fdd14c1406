// Package shellquote quotes names for messages as GNU's tools do (quoting style
// shell-escape-always). A quoted name is printable, and a shell reads it as the name.
package shellquote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote returns name in quotes. If unicode is set, the reader's terminal shows characters beyond
// ASCII, and they stay unchanged. Otherwise they become escapes of their bytes. Bytes that are not
// UTF-8 always become escapes.
func Quote(name string, unicode bool) string {
	if strings.Contains(name, "'") && plain(name, unicode) {
		return `"` + name + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	escaping := false // inside $'…'
	for name != "" {
		n := printable(name, unicode)
		escape := n == 0
		switch {
		case escape && !escaping:
			b.WriteString(`'$'`)
		case !escape && escaping && name[0] != '\'':
			b.WriteString(`''`)
		}
		escaping = escape
		switch {
		case escape:
			n = 1
			b.WriteString(escapeOf(name[0]))
		case name[0] == '\'':
			b.WriteString(`'\''`)
		default:
			b.WriteString(name[:n])
		}
		name = name[n:]
	}
	b.WriteByte('\'')
	return b.String()
}

// plain reports whether a shell and C both read name unchanged in double quotes.
func plain(name string, unicode bool) bool {
	for i := 0; i < len(name); {
		n := printable(name[i:], unicode)
		if n == 0 || strings.IndexByte("!\"$&()*;<=>[\\^`{|}?", name[i]) >= 0 || i > 0 && (name[i] == '#' || name[i] == '~') {
			return false
		}
		i += n
	}
	return true
}

// printable returns the length of the first character of name, or 0 if it cannot be shown.
func printable(name string, wide bool) int {
	if c := name[0]; c < utf8.RuneSelf {
		if c < ' ' || c == 0x7f {
			return 0
		}
		return 1
	}
	r, n := utf8.DecodeRuneInString(name)
	if !wide || r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
		return 0
	}
	return n
}

// named are the bytes whose escape is a letter.
var named = map[byte]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`}

func escapeOf(c byte) string {
	if s, ok := named[c]; ok {
		return s
	}
	return fmt.Sprintf(`\%03o`, c)
}
