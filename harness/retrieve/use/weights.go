package use

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

//go:embed weights.bin
var weightsFile []byte

// block is how many numbers of a matrix share a scale.
const block = 64

// tensor is one array of the model: where it goes, its shape, and what the
// original calls it.
type tensor struct {
	name       string
	rows, cols int
	matrix     *matrix    // kept as bytes, with a scale for each block
	vector     *[]float32 // kept as it is
}

// tensors lists the arrays in the order of weights.bin.
func (n *network) tensors() []tensor {
	list := []tensor{
		{"module/Embeddings_en", 8002, width, &n.embedding, nil},
		{"Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1", 1, width / 2, nil, &n.timing},
		{"Layer_0/TransformerLayer/dense/kernel", width, Dim, &n.widen.kernel, nil},
		{"Layer_0/TransformerLayer/dense/bias", 1, Dim, nil, &n.widen.bias},
		{"hidden_layers/tanh_layer_0/weights", Dim, Dim, &n.finalise.kernel, nil},
		{"hidden_layers/tanh_layer_0/bias", 1, Dim, nil, &n.finalise.bias},
	}
	for i := range n.layers {
		l, in, p := &n.layers[i], width<<i, fmt.Sprintf("Layer_%d/TransformerLayer/", i)
		list = append(list,
			tensor{p + "layer_prepostprocess/layer_norm/layer_norm_scale", 1, in, nil, &l.before.scale},
			tensor{p + "layer_prepostprocess/layer_norm/layer_norm_bias", 1, in, nil, &l.before.bias},
			tensor{p + "MultiheadAttention/qkv_transform_single/kernel/part_0", in, 3 * in, &l.query.kernel, nil},
			tensor{p + "MultiheadAttention/qkv_transform_single/bias", 1, 3 * in, nil, &l.query.bias},
			tensor{p + "MultiheadAttention/output_transform_single/kernel/part_0", in, Dim, &l.out.kernel, nil},
			tensor{p + "MultiheadAttention/output_transform_single/bias", 1, Dim, nil, &l.out.bias},
			tensor{p + "FFN/layer_prepostprocess/layer_norm/layer_norm_scale", 1, Dim, nil, &l.between.scale},
			tensor{p + "FFN/layer_prepostprocess/layer_norm/layer_norm_bias", 1, Dim, nil, &l.between.bias},
			tensor{p + "FFN/conv1/Tensordot/Reshape_1", Dim, inner, &l.expand.kernel, nil},
			tensor{p + "FFN/conv1/bias", 1, inner, nil, &l.expand.bias},
			tensor{p + "FFN/conv2/Tensordot/Reshape_1", inner, Dim, &l.shrink.kernel, nil},
			tensor{p + "FFN/conv2/bias", 1, Dim, nil, &l.shrink.bias},
		)
	}
	return list
}

// readNetwork reads weights.bin. It panics where the file is not the one that
// this version was built with.
func readNetwork(data []byte) *network {
	n := new(network)
	number := func() float32 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data))
		data = data[4:]
		return v
	}
	for _, t := range n.tensors() {
		m := newMatrix(t.rows, t.cols)
		if t.vector != nil {
			for i := range m.d {
				m.d[i] = number()
			}
			*t.vector = m.d
			continue
		}
		for i := 0; i < len(m.d); i += block {
			scale := number()
			for j := range block {
				m.d[i+j] = float32(int8(data[j])) * scale
			}
			data = data[block:]
		}
		*t.matrix = m
	}
	if len(data) > 0 {
		panic("use: weights.bin is longer than the model")
	}
	return n
}

// WriteWeights writes weights.bin from the original's arrays.
func WriteWeights(w io.Writer, original func(name string) ([]float32, error)) error {
	var out []byte
	for _, t := range new(network).tensors() {
		d, err := original(t.name)
		if err != nil {
			return err
		}
		if len(d) != t.rows*t.cols {
			return fmt.Errorf("%s has %d numbers, want %d x %d", t.name, len(d), t.rows, t.cols)
		}
		if t.vector != nil {
			for _, v := range d {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
			}
			continue
		}
		for ; len(d) > 0; d = d[block:] {
			var most float32
			for _, v := range d[:block] {
				most = max(most, v, -v)
			}
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(most/127))
			for _, q := range Pack(d[:block]) {
				out = append(out, byte(q))
			}
		}
	}
	_, err := w.Write(out)
	return err
}
