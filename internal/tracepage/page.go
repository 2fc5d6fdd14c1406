package tracepage

import (
	"encoding/base64"
	"io"
	"strings"

	"github.com/sluiceio/sluice/trace"
)

// Mark is the beginning of every page. The command may overwrite a file that begins with it.
const Mark = "<!doctype html>\n<!-- sluice trace view -->\n"

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
	if _, err := io.WriteString(w, Mark); err != nil {
		return err
	}
	return fill(w, a.page, map[string]string{
		"Name": escape.Replace(name), "Policy": policy, "Licence": a.licence,
		"Style": a.style, "Script": a.script, "Data": base64.StdEncoding.EncodeToString(data),
	})
}

// escape makes text of HTML out of any text.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\uFFFD")

// fill writes the page with each {{Part}} replaced. A text/template would do that too, and keep
// in the program all methods of all types.
func fill(w io.Writer, page string, parts map[string]string) error {
	for {
		before, rest, found := strings.Cut(page, "{{")
		if _, err := io.WriteString(w, before); err != nil || !found {
			return err
		}
		name, after, _ := strings.Cut(rest, "}}")
		if _, err := io.WriteString(w, parts[name]); err != nil {
			return err
		}
		page = after
	}
}

// scriptDigest and styleDigest are the SHA-256 of the page's script and style. TestSelfContained
// says what they are. To compute them here would take crypto/sha256 into each program of
// "sluice build".
const (
	scriptDigest = "sha256-I4Dnv9C2e13MOxvBc35StvLuysHa4gldwV8tYYgSOMc="
	styleDigest  = "sha256-BIoxINysxOc7OOhjJzKX2QbiGqEgPIBU1uPrix+TF74="
)

// policy is a content security policy that allows only the page's own script and style: no network,
// and no script that is hidden in the name of a file.
const policy = "default-src 'none'; img-src data:; script-src '" + scriptDigest + "'; style-src '" + styleDigest + "'; base-uri 'none'; form-action 'none'"
