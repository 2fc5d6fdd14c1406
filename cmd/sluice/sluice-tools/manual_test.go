package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// printed returns what the command prints on stdout.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errors bytes.Buffer
	if status := run(args, &out, &errors); status != 0 {
		t.Fatalf("sluice %s: status %d, %s", strings.Join(args, " "), status, errors.String())
	}
	return out.String()
}

// completions are beginnings of command lines, and what the shells must and must not find.
var completions = []struct {
	line string
	want []string
	not  []string
}{
	{"sluice ", []string{"cp", "trace", "man", "help"}, []string{"covertool", "record"}},
	{"sluice tr", []string{"trace"}, []string{"cp"}},
	{"sluice help tr", []string{"trace"}, []string{"cp"}},
	{"sluice help trace ", []string{"record", "view"}, []string{"bench"}},
	{"sluice trace ", []string{"record", "view"}, []string{"bench"}},
	{"sluice bench --dr", []string{"--driver"}, []string{"--dir"}},
	{"sluice bench fig", []string{"fig5", "fig6"}, []string{"wal"}},
	{"sluice bench sca", []string{"scale", "scan-direct"}, []string{"wal"}},
	{"sluice bench --fs ", []string{"ext4", "xfs"}, []string{"fig5", "uring"}},
	{"sluice tune --no", []string{"--no-save"}, []string{"--save"}},
	{"sluice trace export --format=", []string{"perfetto", "compact"}, []string{"ext4"}},
	{"sluice trace export ma", []string{"main.go", "manual.go"}, []string{"build.go"}},
	{"sluice cp --ref", []string{"--reflink"}, []string{"--remove-destination"}},
	{"sluice cp --reflink=", []string{"auto", "never"}, []string{"older"}},
	{"sluice doctor --dir t", []string{"testdata/"}, []string{"trace.go"}},
	{"sluice man tr", []string{"trace"}, []string{"cp"}},
	{"sluice man trace ex", []string{"export"}, []string{"trace"}},
	{"sluice man ma", []string{"man"}, []string{"main.go"}},
	{"sluice completion ", []string{"bash", "zsh", "fish"}, nil},
}

// bashCompletion has the functions that the script of bash needs.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// TestCompletion asks each shell that is installed what it completes. The scripts run sluice, which
// is this test (TestMain).
func TestCompletion(t *testing.T) {
	for shell, complete := range map[string]func(t *testing.T, shell, script string) []string{
		"bash": bashCompletes, "zsh": zshCompletes, "fish": fishCompletes,
	} {
		t.Run(shell, func(t *testing.T) {
			exe, err := exec.LookPath(shell)
			if err != nil {
				skip.For(t, map[string]skip.Reason{"bash": skip.Bash, "zsh": skip.Zsh, "fish": skip.Fish}[shell], err)
			}
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte(printed(t, "completion", shell)), 0o666); err != nil {
				t.Fatal(err)
			}
			found := complete(t, exe, script)
			if len(found) != len(completions) {
				t.Fatalf("%d answers; want %d: %q", len(found), len(completions), found)
			}
			for i, c := range completions {
				if shell == "fish" && strings.Contains(c.line, " --dir ") {
					c.not = nil // cobra's script offers files there, too
				}
				wantWords(t, c.line, matches(found[i]), c.want, c.not)
			}
		})
	}
}

// printedBy returns what a shell prints on stdout.
func printedBy(t *testing.T, shell *exec.Cmd) string {
	t.Helper()
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v", shell, err)
	}
	return string(out)
}

// bashCompletes types each line. Then ^T inserts all completions (M-*), and prints the words of the
// line, a line each.
func bashCompletes(t *testing.T, bash, script string) []string {
	t.Helper()
	if _, err := os.Stat(bashCompletion); err != nil {
		skip.For(t, skip.Bash, err)
	}
	var keys strings.Builder
	fmt.Fprintf(&keys, "source %s\nsource %s\n", bashCompletion, script)
	keys.WriteString(`bind '"\C-t": "\e*\C-aprintf \"match:%s\\n\" \C-e end"'` + "\n")
	for _, c := range completions {
		keys.WriteString(c.line + "\x14\n")
	}
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "-i")
	cmd.Stdin = strings.NewReader(keys.String())
	found := strings.SplitAfter(printedBy(t, cmd), "match:end\n")
	for i, c := range completions[:min(len(completions), len(found))] {
		for range strings.Count(c.line, " ") { // typed, and not completed
			_, found[i], _ = strings.Cut(found[i], "\n")
		}
	}
	return found[:len(found)-1]
}

// zshCompletes gives zsh all lines at once: it takes long to start.
func zshCompletes(t *testing.T, zsh, script string) []string {
	t.Helper()
	args := []string{"-f", "testdata/completion/zsh.zsh", script}
	for _, c := range completions {
		args = append(args, c.line)
	}
	found := strings.SplitAfter(printedBy(t, exec.CommandContext(t.Context(), zsh, args...)), "match:end")
	return found[:len(found)-1]
}

func fishCompletes(t *testing.T, fish, script string) (found []string) {
	t.Helper()
	for _, c := range completions {
		found = append(found, printedBy(t, exec.CommandContext(t.Context(), fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, c.line)))
	}
	return found
}

func wantWords(t *testing.T, line string, found, want, not []string) {
	t.Helper()
	for _, word := range want {
		if !slices.Contains(found, word) {
			t.Errorf("%q: %q is not among %q", line, word, found)
		}
	}
	for _, word := range not {
		if slices.Contains(found, word) {
			t.Errorf("%q: %q is among %q", line, word, found)
		}
	}
}

// matches returns the matches in a shell's output, without a flag before the value, a
// description after it, or zsh's mark.
func matches(out string) (found []string) {
	for line := range strings.Lines(out) {
		word := strings.TrimRight(line, "\r\n")
		if i := strings.LastIndex(word, "match:"); i >= 0 {
			word = word[i+len("match:"):]
		}
		word, _, _ = strings.Cut(word, "\t")
		if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "--") {
			word = value
		}
		found = append(found, word)
		if info, err := os.Stat(word); err == nil && info.IsDir() {
			found = append(found, strings.TrimSuffix(word, "/")+"/") // bash and zsh add it later
		}
	}
	return found
}

// TestManualPages checks that each command has a page that names its flags, and that no tool
// which is installed finds fault with it.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	if got := printed(t, "man", "--dir", dir); got != "" {
		t.Errorf("man --dir prints %q; want nothing", got)
	}
	app, err := kong.New(&grammar{}, kong.Name("sluice"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := describeCommands(app.Model).All()
	if len(pages) != len(all) {
		t.Errorf("there are %d pages: %q; want one for each of the %d commands", len(pages), pages, len(all))
	}
	for _, c := range all {
		text, err := os.ReadFile(filepath.Join(dir, c.Page()+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := printed(t, append([]string{"man"}, strings.Fields(c.Path())...)...); got != string(text) {
			t.Errorf("man %s prints another page than man --dir writes", c.Path())
		}
		for _, f := range c.Flags {
			for _, name := range f.Names {
				if !strings.Contains(string(text), strings.ReplaceAll(name, "-", `\-`)) {
					t.Errorf("the page of %s does not name %s", c.Name, name)
				}
			}
		}
	}
	for _, lint := range [][]string{{"man", "--warnings", "-l"}, {"groff", "-man", "-ww", "-z"}, {"mandoc", "-T", "lint", "-W", "warning"}} {
		exe, err := exec.LookPath(lint[0])
		if err != nil {
			t.Log(err)
			continue
		}
		for _, page := range pages {
			cmd := exec.CommandContext(t.Context(), exe, append(lint[1:], page)...)
			cmd.Stdout = io.Discard
			var faults bytes.Buffer
			cmd.Stderr = &faults
			if err := cmd.Run(); err != nil || faults.Len() > 0 {
				t.Errorf("%s of %s: %v, %s", lint[0], filepath.Base(page), err, faults.String())
			}
		}
	}
}

// TestManualShows checks the text that a reader sees.
func TestManualShows(t *testing.T) {
	man, err := exec.LookPath("man")
	if err != nil {
		skip.For(t, skip.Man, err)
	}
	for command, want := range map[string]string{
		"":      `(?s)sluice - Disk I/O for goroutines.*COMMANDS.*sluice trace\n +Record what .*SEE ALSO.*sluice-trace-export\(1\)`,
		"cp":    `(?s)SYNOPSIS.*sluice cp \[OPTION\]\.\.\. SOURCE\.\.\. DIRECTORY.*-r, -R, --recursive\n.*--reflink\[=WHEN\]\n +share it: auto \(default\)`,
		"bench": `(?s)\n +sluice bench list +the experiments\n.*--\[no-\]image\n`,
	} {
		page := filepath.Join(t.TempDir(), "page.1")
		if err := os.WriteFile(page, []byte(printed(t, append([]string{"man"}, strings.Fields(command)...)...)), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), man, "-l", page)
		cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=80", "LC_ALL=C", "MANOPT=", "GROFF_NO_SGR=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(`.\x08`).ReplaceAllString(string(out), "") // bold and underlined
		text = regexp.MustCompile(`(\S) +`).ReplaceAllString(text, "$1 ")     // justified
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the page of %q is\n%s\nwant %s", command, text, want)
		}
	}
}

// TestValues checks that the flags and arguments whose values are listed are there.
func TestValues(t *testing.T) {
	app, err := kong.New(&grammar{}, kong.Name("sluice"))
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, c := range describeCommands(app.Model).All() {
		for _, f := range c.Flags {
			for _, name := range f.Names {
				known[strings.TrimSpace(c.Path()+" "+name)] = true
			}
		}
		for _, a := range c.Args {
			known[c.Path()+" "+regexp.MustCompile(`<[^>]*>|SOURCE`).FindString(a.Name)] = true
		}
	}
	for name := range values() {
		if !known[name] {
			t.Errorf("there are values for %s, which there is not", name)
		}
	}
}
