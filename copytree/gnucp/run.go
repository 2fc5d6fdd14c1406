package gnucp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/engine"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Command is one call of the command. A nil In is empty. What is written to a nil Out or Err is
// dropped.
type Command struct {
	Args     []string // the arguments without the command's name
	In       io.Reader
	Out, Err io.Writer
	Version  string // the text of --version
	// Help lays out the text of --help for the terminal; the text is made for 80 columns. nil
	// prints it as it is.
	Help func(text string) string
}

// command is a Command, the function that copies, and the longest time in which an interrupted copy
// may end.
type command struct {
	Command
	copy     copier
	patience time.Duration
}

// copier copies pairs. engineCopy is one.
type copier func(context.Context, []option.Pair, option.Options) (report.Result, error)

func engineCopy(ctx context.Context, pairs []option.Pair, o option.Options) (report.Result, error) {
	return engine.Copy(ctx, nil, pairs, o)
}

// signaled is the cause of a context that a signal ended.
type signaled interface {
	error
	Signal() syscall.Signal
}

// Run runs the command until ctx ends, and returns its exit status:
//
//	0                           everything was copied
//	1                           an error, of a file or of the command line, as with GNU cp
//	128 + the signal's number   the cause of ctx has a method Signal() syscall.Signal
//
// When ctx ends, Run may leave goroutines in the kernel: the process should exit.
func Run(ctx context.Context, c Command) int {
	if c.In == nil {
		c.In = strings.NewReader("")
	}
	if c.Out == nil {
		c.Out = io.Discard
	}
	if c.Err == nil {
		c.Err = io.Discard
	}
	all := &command{c, engineCopy, patience}
	return all.run(ctx)
}

func (c *command) run(ctx context.Context) int {
	s, err := parse(c.Args)
	switch {
	case err != nil:
	case s.help:
		err = c.show(c.help())
	case s.version:
		err = c.show(c.Version + "\n")
	default:
		var status int
		if status, err = c.perform(ctx, s); err == nil {
			return status
		}
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(c.Err, "sluice cp: %v\n", err)
	return 1
}

// help returns the text of --help.
func (c *command) help() string {
	if c.Help == nil {
		return helpText
	}
	return c.Help(helpText)
}

// show writes text to the output.
func (c *command) show(text string) error {
	if _, err := io.WriteString(c.Out, text); err != nil {
		return errors.New("write error: " + causeText(err))
	}
	return nil
}

// run is one copy.
type run struct {
	settings *settings
	options  option.Options
	screen   *screen
	backups  backups
	asker    *asker // nil without -i
	progress report.Progress
	parents  []parent
	pretend  map[string]bool // directories that a dry run would make (--parents)
	alone    map[string]bool // destinations of pairs that only copy attributes
	intoNew  bool            // the copy makes its destination as a directory
	failures int             // the number of reported errors
	reported []errorJSON     // the first of the reported errors
	full     func(error)     // ends the copy because the destination is full
	isFull   bool
}

func (c *command) perform(ctx context.Context, s *settings) (status int, err error) {
	if err := s.check(); err != nil {
		return 1, err
	}
	p, err := newPlan(s)
	if err != nil {
		return 1, err
	}
	r := &run{settings: s, options: s.options(), screen: &screen{out: c.Out, err: c.Err}, pretend: map[string]bool{}}
	if r.backups, err = s.backups(); err != nil {
		return 1, err
	}
	out, err := createJSON(s.json, c.Out)
	if err != nil {
		return 1, err
	}
	quiet := r.openTerminal(c.Err)
	if s.context != nil && *s.context != "" {
		r.warn("ignoring --context; it requires an SELinux-enabled kernel")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.full = cancel
	r.hook(c.In)
	r.intoNew = p.makesDirectory()

	before := cpuTime()
	pairs := r.pairs(p)
	w := watch(r.screen, &r.progress, quiet, s.stats || s.json != "", func(ctx context.Context, c *census) {
		c.take(ctx, p.sources, p.follow == option.FollowAll)
	})
	unread := r.failures
	result, err := r.copy(ctx, c, append(pairs, r.markAlone(r.attributePairs())...))
	result.Failed += int64(unread)
	r.finishParents()
	sum := summary{Result: result, cpu: cpuTime() - before, threads: w.stop()}
	return r.finish(ctx, sum, err, out), nil
}

// markAlone records the destinations of pairs that only copy attributes. -v has printed their lines
// when the directories were made.
func (r *run) markAlone(pairs []option.Pair) []option.Pair {
	r.alone = make(map[string]bool, len(pairs))
	for _, p := range pairs {
		r.alone[p.Dst] = true
	}
	return pairs
}

// fail reports an error, and makes the exit status 1.
func (r *run) fail(err error) {
	r.failures++
	if len(r.reported) < report.MaxErrors {
		r.reported = append(r.reported, jsonOf(err))
	}
	r.screen.complain(err.Error())
}

func (r *run) warn(text string) { r.screen.complain("warning: " + text) }

// finish reports the end of the copy, and returns the exit status.
func (r *run) finish(ctx context.Context, sum summary, err error, out *jsonFile) int {
	if broken := r.screen.close(); broken != nil {
		r.fail(errors.New("write error: " + causeText(broken)))
	}
	cause := context.Cause(ctx)
	switch {
	case r.isFull:
		r.screen.complain("stopped because the destination is full, " + r.soFar(sum))
	case cause != nil:
		r.screen.complain(cause.Error() + " " + r.soFar(sum) + r.wasAt() + "; " + r.goOn())
	case err != nil && sum.Failed == 0:
		r.fail(err)
	}
	if r.settings.stats {
		if err := r.screen.note(sum.table()); err != nil {
			r.fail(errors.New("cannot write the statistics: " + causeText(err)))
		}
	}
	status := r.status(cause)
	if err := out.write(sum.json(status, r.reported)); err != nil {
		r.fail(err)
		return max(status, 1)
	}
	return status
}

func (r *run) status(cause error) int {
	if by, ok := errors.AsType[signaled](cause); ok {
		return 128 + int(by.Signal())
	}
	if r.failures > 0 || cause != nil || r.screen.lost() || r.asker != nil && r.asker.declined {
		return 1
	}
	return 0
}
