package hazards

import (
	"testing"

	"github.com/sluiceio/sluice/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
