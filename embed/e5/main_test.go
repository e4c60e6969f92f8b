package e5

import (
	"sync"
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
)

func TestMain(m *testing.M) {
	memdtest.Main(m)
}

func config(tb testing.TB) Config {
	tb.Helper()
	model := memdtest.Assets(tb).Model
	return Config{ModelPath: model.ONNX, TokenizerPath: model.Tokenizer, RuntimePath: model.Library}
}

// shared is the model that all tests use which need not have their own; it
// holds no goroutine and ends with the process.
var shared struct {
	sync.Mutex
	*Embedder
}

func model(tb testing.TB) *Embedder {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.Embedder == nil {
		e, err := Open(config(tb))
		if err != nil {
			tb.Fatal(err)
		}
		shared.Embedder = e
	}
	return shared.Embedder
}
