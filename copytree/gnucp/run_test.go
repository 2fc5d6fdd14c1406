package gnucp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// call is the arguments of a copy by a fake command.
type call struct {
	pairs   []option.Pair
	options option.Options
}

// fake returns a command that calls do instead of the engine, and the buffers of stdout and stderr.
func fake(do func(context.Context, call) (report.Result, error), args ...string) (*command, *strings.Builder, *strings.Builder) {
	var out, err strings.Builder
	return &command{
		Command: Command{Args: args, In: strings.NewReader(""), Out: &out, Err: &err, Version: "v0"},
		copy: func(ctx context.Context, pairs []option.Pair, o option.Options) (report.Result, error) {
			return do(ctx, call{pairs, o})
		},
		patience: time.Hour,
	}, &out, &err
}

// TestNilStreams runs the command without In, Out and Err: to print its help, to report an error,
// and to ask before it overwrites a file.
func TestNilStreams(t *testing.T) {
	inScratch(t)
	for _, c := range []struct {
		args []string
		want int
	}{{[]string{"--help"}, 0}, {nil, 1}, {[]string{"none", "x"}, 1}, {[]string{"-i", "a", "b"}, 1}, {[]string{"-v", "a", "c"}, 0}} {
		if status := Run(t.Context(), Command{Args: c.args}); status != c.want {
			t.Errorf("Run(%q) without streams = %d; want %d", c.args, status, c.want)
		}
	}
	if b, err := os.ReadFile("b"); string(b) != "b" || err != nil {
		t.Errorf("-i without an answer has made b %q, %v", b, err)
	}
}

// asked returns the arguments with which a command line calls the engine.
func asked(t *testing.T, args ...string) call {
	t.Helper()
	var got call
	c, _, stderr := fake(func(_ context.Context, c call) (report.Result, error) {
		got = c
		return report.Result{}, nil
	}, args...)
	if status := c.run(t.Context()); status != 0 {
		t.Fatalf("%q: status %d, %s", args, status, stderr)
	}
	return got
}

// inScratch makes a directory with the files a and b and the directory d, and changes into it.
func inScratch(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("LC_ALL", "C")
	if err := errors.Join(os.WriteFile("a", []byte("a"), 0o600), os.WriteFile("b", []byte("b"), 0o600), os.Mkdir("d", 0o700)); err != nil {
		t.Fatal(err)
	}
}

func TestPairs(t *testing.T) {
	inScratch(t)
	for _, test := range []struct {
		args string
		want []option.Pair
	}{
		{"a c", []option.Pair{{Src: "a", Dst: "c"}}},
		{"a b d", []option.Pair{{Src: "a", Dst: "d/a"}, {Src: "b", Dst: "d/b"}}},
		{"-t d/ a -r ./b", []option.Pair{{Src: "a", Dst: "d/a"}, {Src: "./b", Dst: "d/b"}}},
		{"-rT d e", []option.Pair{{Src: "d", Dst: "e"}}},
		{"-r . d", []option.Pair{{Src: ".", Dst: "d/."}}},
		{"-r d/.. d", []option.Pair{{Src: "d/..", Dst: "d"}}},
		{"-r d/ d", []option.Pair{{Src: "d/", Dst: "d/d"}}},
		{"-r --strip-trailing-slashes d/ e", []option.Pair{{Src: "d", Dst: "e"}}},
		{"-f --backup=simple a a", []option.Pair{{Src: "a", Dst: "a~"}}},
	} {
		if got := asked(t, strings.Fields(test.args)...); !reflect.DeepEqual(got.pairs, test.want) {
			t.Errorf("cp %s copies %v; want %v", test.args, got.pairs, test.want)
		}
	}
}

func TestOptions(t *testing.T) {
	inScratch(t)
	const root = option.PreserveOwner
	own := option.Preserve(0)
	if os.Geteuid() == 0 {
		own = root
	}
	all := option.PreserveAll
	if !hasSELinux() {
		all &^= option.PreserveContext
	}
	modeTimes := option.PreserveMode | option.PreserveTimes
	for _, test := range []struct {
		args string
		want option.Options
	}{
		{"", option.Options{Files: true, CopyContents: true, Follow: option.FollowAll}},
		{"-r", option.Options{}},
		{"-rl", option.Options{Make: option.MakeHardLink, Follow: option.FollowAll}},
		{"-a", option.Options{Preserve: all, Require: modeTimes | option.PreserveLinks | own}},
		{"-rp", option.Options{Preserve: defaultPreserve, Require: modeTimes | own}},
		{"-r --preserve=xattr", option.Options{Preserve: option.PreserveXattr, Require: option.PreserveXattr}},
		{"-r -p --no-preserve=mode", option.Options{Preserve: defaultPreserve&^option.PreserveMode | option.NoMode, Require: option.PreserveTimes | own}},
		{"-rHLP", option.Options{}},
		{"-rPLH", option.Options{Follow: option.FollowArguments}},
		{"-rL", option.Options{Follow: option.FollowAll}},
		{"-rn", option.Options{Existing: option.Skip}},
		{"-rnu", option.Options{Existing: option.Skip}},
		{"-ru", option.Options{Existing: option.Older}},
		{"-r --update --update=all", option.Options{}},
		{"-r --update=none", option.Options{Existing: option.Skip}},
		{"-r --update=none-fail -n", option.Options{Existing: option.SkipFail}},
		{"-rf", option.Options{Force: true}},
		{"-rsf", option.Options{Force: true, Make: option.MakeSymlink}},
		{"-r --remove-destination", option.Options{Unlink: true}},
		{"-r --reflink", option.Options{Reflink: option.ReflinkAlways}},
		{"-r --reflink=never --sparse=always", option.Options{Reflink: option.ReflinkNever, Sparse: option.SparseAlways}},
		{"-rx --copy-contents", option.Options{OneFileSystem: true, CopyContents: true}},
		{"-r --attributes-only", option.Options{Make: option.MakeAttributes}},
		{"-r --sync", option.Options{Sync: option.SyncFileSystem}},
		{"-r --sync=files --verify --resume", option.Options{Sync: option.SyncFiles, Verify: true, Resume: true}},
		{"-r --block-size=256k --concurrency 7", option.Options{BlockSize: 256 << 10, Concurrency: 7}},
	} {
		got := asked(t, append(strings.Fields(test.args), "a", "c")...).options
		got.OnError, got.OnWait, got.Progress = nil, nil, nil
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("cp %s asks for\n%+v; want\n%+v", test.args, got, test.want)
		}
	}
}

func TestOwnFlagsRefused(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--block-size=1 a b", "--block-size: '1'; want a number of bytes from 512 to 64m, as in 256k"},
		{"--concurrency=0 a b", "--concurrency: '0'; want a number of files, from 1 to 1024"},
		{"--sync=x a b", "invalid argument 'x' for '--sync'"},
		{"--json= a b", "--json: the name is empty; want a file, as in --json=out.json"},
		{"--\x1b[31m a b", `unrecognized option '--\x1b[31m'`},
		{"--verify --attributes-only a b", "--verify compares data, and --attributes-only copies none"},
	} {
		c, _, stderr := fake(nil, strings.Fields(test.args)...)
		status := c.run(t.Context())
		if first, _, _ := strings.Cut(stderr.String(), "\n"); status != 1 || first != "sluice cp: "+test.want {
			t.Errorf("cp %s: status %d, %q; want 1, %q", test.args, status, first, test.want)
		}
	}
}

// ended is the cause of a context that a signal ended, like main's.
type ended struct{ error }

func (ended) Signal() syscall.Signal { return syscall.SIGINT }

func TestInterrupted(t *testing.T) {
	inScratch(t)
	for _, test := range []struct{ args, want string }{
		{"-r d e", "sluice cp: interrupted after 3 files, 2 KiB; the same command with -u -T goes on\n"},
		{"-a d e", "sluice cp: interrupted after 3 files, 2 KiB; the same command with --resume -T goes on\n"},
		{"-p a d", "sluice cp: interrupted after 3 files, 2 KiB; the same command with --resume goes on\n"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		c, _, stderr := fake(func(ctx context.Context, _ call) (report.Result, error) {
			cancel(ended{errors.New("interrupted")})
			<-ctx.Done()
			return report.Result{Files: 3, Bytes: 2048}, context.Cause(ctx)
		}, strings.Fields(test.args)...)
		if status := c.run(ctx); status != 130 || stderr.String() != test.want {
			t.Errorf("cp %s: status %d, %q; want 130, %q", test.args, status, stderr, test.want)
		}
	}
}

// TestGivesUp interrupts a copy that does not end.
func TestGivesUp(t *testing.T) {
	inScratch(t)
	hangs := make(chan struct{})
	defer close(hangs)
	ctx, cancel := context.WithCancelCause(t.Context())
	c, _, stderr := fake(func(_ context.Context, c call) (report.Result, error) {
		c.options.Progress.Files.Add(2)
		cancel(ended{errors.New("interrupted")})
		<-hangs
		return report.Result{}, nil
	}, "-r", "d", "e")
	c.patience = time.Millisecond
	want := "sluice cp: warning: the copy of a file could not be ended, and the file may be incomplete\n" +
		"sluice cp: interrupted after 2 files, 0 B; the same command with -u -T goes on\n"
	if status := c.run(ctx); status != 130 || stderr.String() != want {
		t.Errorf("status %d, %q; want 130, %q", status, stderr, want)
	}
}

// TestFull has three files that fail on a full disk. The first error must be reported and end the
// copy.
func TestFull(t *testing.T) {
	inScratch(t)
	c, _, stderr := fake(func(ctx context.Context, c call) (report.Result, error) {
		for _, name := range []string{"x", "y", "z"} {
			c.options.OnError(&report.Error{Op: "write", Src: name, Dst: "d/" + name, Path: "d/" + name, Err: syscall.ENOSPC})
		}
		return report.Result{Files: 1, Bytes: 7, Failed: 3}, context.Cause(ctx)
	}, "a", "c")
	want := "sluice cp: error writing 'd/x': No space left on device\n" +
		"sluice cp: stopped because the destination is full, after 1 file, 7 B\n"
	if status := c.run(t.Context()); status != 1 || stderr.String() != want {
		t.Errorf("status %d, %q; want 1, %q", status, stderr, want)
	}
}

// TestNoRoomForACL checks that the other files are copied if a file has no room for its ACL.
func TestNoRoomForACL(t *testing.T) {
	inScratch(t)
	c, _, stderr := fake(func(ctx context.Context, c call) (report.Result, error) {
		c.options.OnError(&report.Error{Op: "setxattr system.posix_acl_access", Src: "a", Dst: "d/a", Path: "d/a", Err: syscall.ENOSPC})
		if err := context.Cause(ctx); err != nil {
			t.Errorf("the copy was ended: %v", err)
		}
		return report.Result{Files: 2, Failed: 1}, nil
	}, "-a", "a", "b", "d")
	want := "sluice cp: preserving permissions for 'd/a': No space left on device\n"
	if status := c.run(t.Context()); status != 1 || stderr.String() != want {
		t.Errorf("status %d, %q; want 1, %q", status, stderr, want)
	}
}

// badWriter is a Writer on which every write fails.
type badWriter struct{}

func (badWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestStatsUnwritten checks that unwritten statistics are an error of the command, and in its JSON.
func TestStatsUnwritten(t *testing.T) {
	inScratch(t)
	for _, flag := range []string{"--stats", "--no-progress"} {
		c, stdout, _ := fake(func(context.Context, call) (report.Result, error) {
			return report.Result{Files: 1}, nil
		}, flag, "--json", "a", "c")
		c.Err = badWriter{}
		status := c.run(t.Context())
		var got summaryJSON
		if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
			t.Fatal(err)
		}
		if flag != "--stats" {
			if status != 0 || len(got.Errors) != 0 {
				t.Errorf("without --stats: status %d, errors %v; want 0 and none", status, got.Errors)
			}
			continue
		}
		want := []errorJSON{{Message: "cannot write the statistics: No space left on device"}}
		if status != 1 || got.Status != 1 || !reflect.DeepEqual(got.Errors, want) {
			t.Errorf("status %d, in the JSON %d, errors %v; want 1, 1, %v", status, got.Status, got.Errors, want)
		}
	}
}

func TestJSON(t *testing.T) {
	inScratch(t)
	name := filepath.Join(t.TempDir(), "out")
	c, _, stderr := fake(func(_ context.Context, c call) (report.Result, error) {
		e := &report.Error{Op: "open", Src: "a\n", Dst: "c", Path: "a\n", Err: syscall.EACCES}
		c.options.OnError(e)
		return report.Result{Files: 2, Cloned: 1, Bytes: 5, Holes: 6, Failed: 1, Errors: []*report.Error{e}}, nil
	}, "--json="+name, "a", "c")
	c.run(t.Context())
	text, err := os.ReadFile(name)
	var got summaryJSON
	if err = errors.Join(err, json.Unmarshal(text, &got)); err != nil {
		t.Fatalf("%v, %s", err, stderr)
	}
	wantErrors := []errorJSON{{Path: "a\n", Op: "open", Errno: "EACCES", Message: `cannot open 'a'$'\n' for reading: Permission denied`}}
	if got.Files != 2 || got.Cloned != 1 || got.Bytes != 5 || got.HoleBytes != 6 || got.Failed != 1 || !reflect.DeepEqual(got.Errors, wantErrors) {
		t.Errorf("JSON is %s", text)
	}
}
