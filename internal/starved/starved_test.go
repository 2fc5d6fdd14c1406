package starved

import (
	"testing"

	"github.com/sluiceio/sluice/internal/sluicetest"
)

func TestMain(m *testing.M) { sluicetest.Main(m) }
