package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/sluiceio/sluice/bench/internal/program"
)

// download returns the directory of a version of a module in the module cache.
func download(ctx context.Context, module, version string) (string, error) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("there is no go command in PATH")
	}
	cmd := program.Command(ctx, goExe, "mod", "download", "-json", module+"@"+version)
	// The settings of the working directory's module do not apply to this one.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var found struct{ Dir, Error string }
	if json.Unmarshal(out, &found) == nil && found.Error != "" {
		return "", errors.New(found.Error)
	}
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		return "", errors.New(text)
	}
	if err != nil {
		return "", err
	}
	return found.Dir, nil
}
