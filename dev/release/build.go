package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platforms are the platforms of the prebuilt programs, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// program is the name of the program in an archive.
const program = "sluice"

// release describes a build. The same values, from the same tree with the same Go version, give the
// same bytes, wherever the tree is.
type release struct {
	root    string // of the tree
	version string
	commit  string
	time    time.Time // of all files in the archives
	// pkg is the import path of the program. stamped is the package with the variables release and
	// commit.
	pkg, stamped string
	platforms    []string
	out          string // the directory of the archives, which must not exist
}

// build writes an archive for each platform, and SHA256SUMS.
func (r *release) build(ctx context.Context) error {
	if err := os.Mkdir(r.out, 0o777); err != nil {
		return fmt.Errorf("the archives: %w", err)
	}
	dir, err := os.MkdirTemp("", "sluice-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	documents, err := r.documents(ctx, dir)
	if err != nil {
		return err
	}
	sums := make(map[string]string)
	for _, platform := range r.platforms {
		name, archive, err := r.archive(ctx, dir, platform, documents)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if err := os.WriteFile(filepath.Join(r.out, name), archive, 0o666); err != nil {
			return err
		}
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(archive))
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&text, "%s  %s\n", sums[name], name) // in the format of sha256sum(1)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(text.String()), 0o666)
}

// documents returns the files that are the same for all platforms, by name in the archive. A
// program for this machine writes the manual pages and the completions.
func (r *release) documents(ctx context.Context, dir string) (map[string][]byte, error) {
	host := runtime.GOOS + "/" + runtime.GOARCH
	exe, err := r.compile(ctx, dir, host)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", host, err)
	}
	files := make(map[string][]byte)
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		if files[name], err = os.ReadFile(filepath.Join(r.root, name)); err != nil {
			return nil, err
		}
	}
	for shell, name := range map[string]string{"bash": "sluice.bash", "zsh": "_sluice", "fish": "sluice.fish"} {
		if files["completions/"+name], err = output(exec.CommandContext(ctx, exe, "completion", shell)); err != nil {
			return nil, err
		}
	}
	pages := filepath.Join(dir, "pages")
	if _, err := output(exec.CommandContext(ctx, exe, "man", "--dir", pages)); err != nil {
		return nil, err
	}
	all, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, page := range all {
		if files["man/man1/"+page.Name()], err = os.ReadFile(filepath.Join(pages, page.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// archive returns the name and the bytes of a platform's archive.
func (r *release) archive(ctx context.Context, dir, platform string, documents map[string][]byte) (name string, archive []byte, err error) {
	exe, err := r.compile(ctx, dir, platform)
	if err != nil {
		return "", nil, err
	}
	files := maps.Clone(documents)
	base := filepath.Base(exe)
	if files[base], err = os.ReadFile(exe); err != nil {
		return "", nil, err
	}
	if files["NOTICES"], err = r.notices(ctx, platform); err != nil {
		return "", nil, err
	}
	top := strings.Join([]string{program, r.version, strings.ReplaceAll(platform, "/", "-")}, "-")
	entries := make([]entry, 0, len(files))
	for name, text := range files {
		entries = append(entries, entry{name: path.Join(top, name), text: text, executable: name == base})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	if strings.HasPrefix(platform, "windows/") {
		archive, err = zipped(entries, r.time)
		return top + ".zip", archive, err
	}
	archive, err = tarred(entries, r.time)
	return top + ".tar.gz", archive, err
}

// compile builds the program for a platform, and returns its file.
func (r *release) compile(ctx context.Context, dir, platform string) (string, error) {
	system, _, _ := strings.Cut(platform, "/")
	exe := filepath.Join(dir, strings.ReplaceAll(platform, "/", "-"), program)
	if system == "windows" {
		exe += ".exe"
	}
	// Without a build ID, and without symbols for a debugger; a panic still has its lines.
	flags := fmt.Sprintf("-s -w -buildid= -X %[1]s.release=%[2]s -X %[1]s.commit=%[3]s", r.stamped, r.version, r.commit)
	cmd := r.goCommand(ctx, platform, "build", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", exe, r.pkg)
	_, err := output(cmd)
	return exe, err
}

// goCommand returns a go command in the tree. The user's settings do not affect the result.
func (r *release) goCommand(ctx context.Context, platform string, args ...string) *exec.Cmd {
	system, processor, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(r.root, "go.work"), "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off",
		"CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0")
	return cmd
}

// output returns a command's stdout. Its stderr is in the error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err), errors.New(strings.TrimSpace(stderr.String())))
	}
	return out, err
}
