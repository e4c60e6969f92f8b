package embedded_test

import (
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
)

func TestMain(m *testing.M) { memdtest.Main(m) }
