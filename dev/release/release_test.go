package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/dev/internal/workspace"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// repository makes a repository of two modules, and changes into its root.
func repository(t *testing.T) *workspace.Workspace {
	t.Helper()
	for name, reason := range map[string]skip.Reason{"git": skip.Git, "go": skip.Go} {
		if _, err := exec.LookPath(name); err != nil {
			skip.For(t, reason, err)
		}
	}
	for name, value := range map[string]string{
		"GOPROXY": "off", "GOTOOLCHAIN": "local", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	root := t.TempDir()
	t.Chdir(root)
	for name, text := range map[string]string{
		"go.work":      "go 1.25\n\nuse (\n\t.\n\t./app\n)\n\nreplace example.com/lib v0.1.0 => ./\n",
		"LICENSE":      "free\n",
		"app/LICENSE":  "free\n",
		"CHANGELOG.md": "# Changelog\n\n## v0.2.0 (today)\n\n- All is new.\n\n## v0.1.0\n",
		"go.mod":       "module example.com/lib\n\ngo 1.25\n",
		"lib.go":       "package lib\n\nconst Name = \"lib\"\n",
		"app/go.mod":   "module example.com/lib/app\n\ngo 1.25\n\nrequire example.com/lib v0.1.0\n",
		"app/main.go":  "package main\n\nimport \"example.com/lib\"\n\nfunc main() { println(lib.Name) }\n",
	} {
		write(t, name, text)
	}
	gitIn(t, "init", "-q")
	gitIn(t, "add", ".")
	gitIn(t, "commit", "-q", "-m", "all: begin")
	w, err := workspace.Load(".")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func gitIn(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestTag tags a version, and then again, at the commit that the first has made.
func TestTag(t *testing.T) {
	w := repository(t)
	if err := tag(t.Context(), w, "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(gitIn(t, "tag")), []string{"app/v0.2.0", "v0.2.0"}; !slices.Equal(got, want) {
		t.Errorf("the tags are %q; want %q", got, want)
	}
	if got := gitIn(t, "log", "--format=%s %D", "-1"); !strings.HasPrefix(got, "all: v0.2.0 ") || strings.Count(got, "tag: ") != 2 {
		t.Errorf("the last commit is %q; want \"all: v0.2.0\", with both tags", got)
	}
	if got, want := strings.Fields(gitIn(t, "show", "--format=", "--name-only")), []string{"app/go.mod", "app/go.sum", "go.work"}; !slices.Equal(got, want) {
		t.Errorf("the commit changes %q; want %q", got, want)
	}
	// The published modules build without the tree: the sums in app/go.sum are the tags'.
	if err := w.Check(t.Context(), "v0.2.0"); err != nil {
		t.Error(err)
	}
	head := gitIn(t, "rev-parse", "HEAD")
	gitIn(t, "tag", "-d", "v0.2.0", "app/v0.2.0")
	if err := tag(t.Context(), w, "v0.2.0"); err != nil {
		t.Error(err)
	}
	if got := gitIn(t, "rev-parse", "HEAD"); got != head {
		t.Error("a second commit was made, with nothing to change")
	}
}

// TestTagRefused checks that a tree that must not be tagged stays unchanged.
func TestTagRefused(t *testing.T) {
	w := repository(t)
	for _, test := range []struct {
		version, want string
		prepare       func()
	}{
		{"v0.2", "want one like v0.1.0", func() {}},
		{"", "want one like v0.1.0", func() {}},
		{"v0.3.0", `has no heading "## v0.3.0"`, func() {}},
		{"v0.2.0", "app, built by itself", func() {
			write(t, "app/main.go", "package main\n\nfunc main() { other() }\n")
			gitIn(t, "commit", "-qam", "app: does not build")
		}},
		{"v0.2.0", "the tag app/v0.2.0 exists", func() { gitIn(t, "tag", "app/v0.2.0") }},
		{"v0.2.0", "the tree has changes (?? new)", func() { write(t, "new", "") }},
	} {
		test.prepare()
		before := gitIn(t, "status", "--porcelain") + gitIn(t, "rev-parse", "HEAD") + gitIn(t, "tag")
		if err := tag(t.Context(), w, test.version); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("tag %q = %v; want %q", test.version, err, test.want)
		}
		if after := gitIn(t, "status", "--porcelain") + gitIn(t, "rev-parse", "HEAD") + gitIn(t, "tag"); after != before {
			t.Errorf("tag %q leaves %q; want %q", test.version, after, before)
		}
	}
}

// TestPushes checks that no push has more than three tags, and that the library's is the last.
func TestPushes(t *testing.T) {
	const want = "git push --atomic origin HEAD integrations/pebblevfs/v0.2.0 bench/v0.2.0 dev/v0.2.0\n" +
		"git push --atomic origin HEAD copytree/v0.2.0 v0.2.0\n"
	if got := pushes([]string{"v0.2.0", "bench/v0.2.0", "dev/v0.2.0", "copytree/v0.2.0", "integrations/pebblevfs/v0.2.0"}); got != want {
		t.Errorf("pushes = %s; want %s", got, want)
	}
}
