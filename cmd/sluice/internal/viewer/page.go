package viewer

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/sluiceio/sluice/trace"
)

// mark is the beginning of every page. WriteFile may overwrite a file that begins with it.
const mark = "<!doctype html>\n<!-- sluice trace view -->\n"

// Write writes the page of t. The page shows name as the trace's name.
func Write(w io.Writer, t *trace.Trace, name string) error {
	data, err := encode(t, name)
	if err != nil {
		return err
	}
	a, err := readAssets()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, mark); err != nil {
		return err
	}
	return a.page.Execute(w, struct{ Name, Policy, Licence, Style, Script, Data string }{
		name, policy(a.script, a.style), a.licence, a.style, a.script, base64.StdEncoding.EncodeToString(data),
	})
}

// policy returns a content security policy that allows only the page's own script and
// style: no network, and no script that is hidden in the name of a file.
func policy(script, style string) string {
	return fmt.Sprintf("default-src 'none'; img-src data:; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'",
		digest(script), digest(style))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
