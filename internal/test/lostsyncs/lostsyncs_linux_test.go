package lostsyncs

import (
	"testing"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestLostSyncs checks that no call that returned nil has lost data.
func TestLostSyncs(t *testing.T) { Play(t) }
