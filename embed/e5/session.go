package e5

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// loaded is the runtime of this process, which there can only be one of. It
// stays once it is there: unloading a library whose threads' and statics'
// destructors have yet to run is not safe, and it holds next to nothing.
var loaded struct {
	sync.Mutex
	path string
}

// loadRuntime loads the runtime unless it is loaded.
func loadRuntime(path string) error {
	loaded.Lock()
	defer loaded.Unlock()
	switch loaded.path {
	case path:
		return nil
	case "":
	default:
		return fmt.Errorf("%s: another one is in use, %s", path, loaded.path)
	}
	ort.SetSharedLibraryPath(path)
	// What goes wrong comes back as an error; the runtime's own lines on stderr
	// would break a log of JSON.
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return err
	}
	loaded.path = path
	return ort.DisableTelemetry()
}

// openSession loads a model for runs that each use one core.
func openSession(path string) (*ort.DynamicAdvancedSession, error) {
	// The runtime's own error for a missing file does not name it.
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	for _, set := range []func() error{
		// A second thread shortens a run by less than it costs, and a pool of one
		// needs no threads at all.
		func() error { return options.SetIntraOpNumThreads(1) },
		func() error { return options.SetInterOpNumThreads(1) },
		func() error { return options.SetExecutionMode(ort.ExecutionModeSequential) },
		// The arena keeps what the longest texts took, about 25 MB for each run at
		// a time; without it the C heap, fragmented, keeps five times as much. Memory
		// patterns, one block a run, cost another 30 MB and gain nothing here.
		func() error { return options.SetCpuMemArena(true) },
		func() error { return options.SetMemPattern(false) },
	} {
		if err := set(); err != nil {
			return nil, err
		}
	}
	session, err := ort.NewDynamicAdvancedSession(path,
		[]string{"input_ids", "attention_mask", "token_type_ids"}, []string{"last_hidden_state"}, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return session, nil
}

// allOnes and allZeros are the attention mask and the token types of every run:
// one text, all of it meant. The runtime only reads them.
var (
	allOnes = func() []int64 {
		ones := make([]int64, maxTokens)
		for i := range ones {
			ones[i] = 1
		}
		return ones
	}()
	allZeros = make([]int64, maxTokens)
)

// runSession has the model make the vectors of ids' tokens, into output.
func runSession(session *ort.DynamicAdvancedSession, ids []int64, output []float32) error {
	var pins runtime.Pinner
	defer pins.Unpin()
	n := int64(len(ids))
	inputs := make([]ort.Value, 0, 3)
	for _, data := range [][]int64{ids, allOnes, allZeros} {
		// The tensor keeps the address for the time of the run.
		pins.Pin(&data[0])
		tensor, err := ort.NewTensor(ort.NewShape(1, n), data)
		if err != nil {
			return err
		}
		defer tensor.Destroy()
		inputs = append(inputs, tensor)
	}
	pins.Pin(&output[0])
	tensor, err := ort.NewTensor(ort.NewShape(1, n, Dimensions), output)
	if err != nil {
		return err
	}
	defer tensor.Destroy()
	return session.Run(inputs, []ort.Value{tensor})
}
