//go:build !linux

package pebblevfs_test

import (
	"strings"
	"testing"
)

func isBuffered(t *testing.T) bool { return strings.HasSuffix(t.Name(), "/buffered") }
