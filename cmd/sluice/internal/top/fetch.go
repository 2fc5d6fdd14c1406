package top

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/internal/debugserver"
	"github.com/sluiceio/sluice/internal/live"
)

const (
	fetchTime = 10 * time.Second
	mostBytes = 16 << 20 // of an answer: 50 files with long names take less
)

// AskTime is how long a socket of a process may take to answer. Tests may change it.
var AskTime = 2 * time.Second

// client does not follow redirects, and uses no proxy: the program is asked and nobody else.
var client = &http.Client{
	Timeout:       fetchTime,
	Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Find returns the URL of a program's live look. The target is a process number, an address
// host:port, or a URL.
func Find(ctx context.Context, target string) (string, error) {
	if pid, err := strconv.Atoi(target); err == nil {
		if pid < 1 {
			return "", fmt.Errorf("%d is not the number of a process", pid)
		}
		return findProcess(ctx, pid)
	}
	if strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
		u, err := url.Parse(target)
		if err != nil {
			return "", fmt.Errorf("%s is not a URL", report.Quote(target))
		}
		u.RawQuery, u.Fragment = "", ""
		if u.Path == "" || u.Path == "/" {
			u.Path = debugserver.Path
		}
		return u.String(), nil
	}
	host, port, err := net.SplitHostPort(target)
	if err != nil || port == "" {
		return "", fmt.Errorf("%s is not a process number or an address; want one, as in 4711 or localhost:6060", report.Quote(target))
	}
	return urlOf(host, port), nil
}

// urlOf returns the URL of the live look at an address.
func urlOf(host, port string) string {
	if host == "" {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + debugserver.Path
}

// Fetch looks at the program. The answer takes a second.
func Fetch(ctx context.Context, at string) (*live.Figures, error) {
	status, body, err := get(ctx, at+"?format=json")
	switch {
	case err != nil:
		return nil, fmt.Errorf("no answer: %w", err)
	case status != http.StatusOK && strings.HasPrefix(string(body), "sluice: "):
		return nil, fmt.Errorf("the program says: %s", firstLine(body))
	case status != http.StatusOK:
		return nil, fmt.Errorf("%s has no live look of sluice: status %d", at, status)
	}
	f := new(live.Figures)
	if err := json.Unmarshal(body, f); err != nil || len(f.Paths) == 0 {
		return nil, fmt.Errorf("%s has no live look of sluice: the answer is something else", at)
	}
	return f, nil
}

// get returns the status and the body of a page.
func get(ctx context.Context, at string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, bare(err)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	return answer.StatusCode, body, err
}

// bare returns the error without the URL, which has the query in it.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func firstLine(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(string(body), "sluice: "), "\n")
	return report.Printable(line)
}
