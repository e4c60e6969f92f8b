package bus

import (
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
)

func TestMain(m *testing.M) { memdtest.Main(m) }
