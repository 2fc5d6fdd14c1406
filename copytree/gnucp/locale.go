package gnucp

import (
	"os"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/shellquote"
)

// quote returns a name in the quotes of messages.
func quote(name string) string { return shellquote.Quote(name, showsUnicode()) }

// quoteIfNeeded returns a name without quotes if a shell reads it unchanged, and it has no colon
// (GNU's quotef).
func quoteIfNeeded(name string) string {
	quoted := quote(name)
	if quoted != "'"+name+"'" || name == "" || name == "{" || name == "}" || name[0] == '#' || name[0] == '~' ||
		strings.ContainsAny(name, " !\"$&()*:;<=>?[\\^`|") {
		return quoted
	}
	return name
}

// showsUnicode reports whether the locale's character set is UTF-8 (locale(7)).
var showsUnicode = sync.OnceValue(func() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToUpper(value)
			return strings.Contains(value, "UTF-8") || strings.Contains(value, "UTF8")
		}
	}
	return false
})
