package main

import (
	"bytes"
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

// TestCompletion asks each shell that is installed what it completes.
func TestCompletion(t *testing.T) {
	// The lines are one word of the arguments; bash splits them as readline does.
	const bash = `source "$1"; words=${2//=/ = }; read -ra COMP_WORDS <<<"$words"
[[ $words == *[!=]' ' ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _sluice; printf '%s\n' "${COMPREPLY[@]}"`
	const fish = `source $argv[1]; complete -C $argv[2]`
	shells := map[string][]string{
		"bash": {"--norc", "-c", bash, "bash"},
		"zsh":  {"-f", "testdata/completion/zsh.zsh"},
		"fish": {"--no-config", "-c", fish},
	}
	reasons := map[string]skip.Reason{"bash": skip.Bash, "zsh": skip.Zsh, "fish": skip.Fish}
	for shell, args := range shells {
		t.Run(shell, func(t *testing.T) {
			exe, err := exec.LookPath(shell)
			if err != nil {
				skip.For(t, reasons[shell], err)
			}
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte(printed(t, "completion", shell)), 0o666); err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, c := range completions {
				lines = append(lines, c.line)
			}
			// zsh takes long to start: it gets all lines at once.
			at := len(lines)
			if shell != "zsh" {
				at = 1
			}
			var found []string
			for some := range slices.Chunk(lines, at) {
				out, err := exec.CommandContext(t.Context(), exe, slices.Concat(args, []string{script}, some)...).CombinedOutput()
				if err != nil {
					t.Fatalf("%q: %v\n%s", some, err, out)
				}
				if shell != "zsh" {
					out = append(out, "match:end\n"...)
				}
				found = append(found, strings.SplitAfter(string(out), "match:end")[:len(some)]...)
			}
			for i, c := range completions {
				wantWords(t, c.line, matches(found[i]), c.want, c.not)
			}
		})
	}
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
		"bench": `(?s)\n +sluice bench list +what there is\n.*--\[no-\]image\n`,
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
