package gnucp

import (
	"os"
	"strings"
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/shellquote"
)

// quote returns a name in the quotes of messages.
func quote(name string) string { return shellquote.Quote(name, showsUnicode()) }

// quoteIfNeeded returns a name without quotes if a shell reads it unchanged.
func quoteIfNeeded(name string) string {
	const safe = "%+,-./0123456789:@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	if name != "" && strings.Trim(name, safe) == "" {
		return name
	}
	return quote(name)
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
