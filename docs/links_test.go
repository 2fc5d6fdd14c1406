package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestLinks checks the links of all documents to files of the repository and to headings in them.
func TestLinks(t *testing.T) {
	documents := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata", "third_party", "node_modules"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		documents++
		text := read(t, name)
		for _, to := range linksOf(text) {
			if problem := broken(t, name, to); problem != "" {
				t.Errorf("%s: the link to %s: %s", name, to, problem)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if documents < 40 {
		t.Errorf("%d documents were found; there are more", documents)
	}
}

// TestLinksNoticesBroken checks that the test itself finds broken links.
func TestLinksNoticesBroken(t *testing.T) {
	links := linksOf("a [b](c.md) and `[no](link)`\n\n    [code](x)\n\n```\n[fence](y)\n```\n[d](#e) [f](https://g)\n")
	if want := []string{"c.md", "#e", "https://g"}; !slices.Equal(links, want) {
		t.Errorf("links = %q; want %q", links, want)
	}
	for to, want := range map[string]bool{
		"README.md": true, "README.md#to-begin": true, "decisions": true, "https://example.com": true,
		"README.md#there-is-none": false, "missing.md": false, "../README.md": true,
	} {
		if problem := broken(t, "README.md", to); (problem == "") != want {
			t.Errorf("the link to %s: %q; want a working one: %v", to, problem, want)
		}
	}
}

var (
	link       = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	inlineCode = regexp.MustCompile("`[^`]*`")
)

// linksOf returns the targets of a document's links. It leaves out code.
func linksOf(text string) (links []string) {
	fenced, blank := false, true
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		code := fenced || blank && strings.HasPrefix(line, "    ")
		if blank = strings.TrimSpace(line) == "" || code; code {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
			links = append(links, m[1])
		}
	}
	return links
}

// broken returns the problem with a link from the document from, or "".
func broken(t *testing.T, from, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	file, heading, _ := strings.Cut(to, "#")
	name := from
	if file != "" {
		name = filepath.Join(filepath.Dir(from), filepath.FromSlash(file))
	}
	if _, err := os.Stat(name); err != nil {
		return "there is no such file"
	}
	if heading != "" && !slices.Contains(headingsOf(read(t, name)), heading) {
		return "there is no such heading"
	}
	return ""
}

// headingsOf returns the names that links to the headings of a document use.
func headingsOf(text string) (names []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(strings.TrimLeft(line, "#")))
		names = append(names, name)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
