package use

import "math"

// Shape of the network.
const (
	width  = 256 // of an embedded piece
	inner  = 1536
	heads  = 4
	layers = 2
)

// matrix is rows of numbers, one after another.
type matrix struct {
	rows, cols int
	d          []float32
}

func newMatrix(rows, cols int) matrix { return matrix{rows, cols, make([]float32, rows*cols)} }

func (m *matrix) row(i int) []float32 { return m.d[i*m.cols : (i+1)*m.cols] }

// network is the model's weights.
type network struct {
	embedding matrix
	timing    []float32 // inverse wave lengths
	widen     dense
	layers    [layers]layer
	finalise  dense
}

// dense is a linear layer.
type dense struct {
	kernel matrix
	bias   []float32
}

// scaling is a layer normalisation.
type scaling struct{ scale, bias []float32 }

// layer is one layer of the transformer. The first is 256 wide inside of its
// attention, the second 512.
type layer struct {
	before         scaling
	query, out     dense // query, key and value side by side
	between        scaling
	expand, shrink dense
}

// encode is the unit vector of a sequence of at most MaxPieces pieces.
func (n *network) encode(ids []int) []float32 {
	x := newMatrix(len(ids), width)
	for i, id := range ids {
		r := x.row(i)
		for j, v := range n.embedding.row(id) {
			r[j] = 2 * v // the graph adds the embedding to itself and its timing
		}
		for j, inverse := range n.timing {
			angle := float64(float32(i) * inverse)
			r[j] += float32(math.Sin(angle))
			r[len(n.timing)+j] += float32(math.Cos(angle))
		}
	}
	y := n.layers[0].attend(x)
	y.add(n.widen.of(x)) // the way around the first layer changes the width
	y.add(n.layers[0].feed(y))
	y.add(n.layers[1].attend(y))
	y.add(n.layers[1].feed(y))
	mean := newMatrix(1, Dim)
	for i := range y.rows {
		for j, v := range y.row(i) {
			mean.d[j] += v / float32(y.rows)
		}
	}
	out := n.finalise.of(mean)
	for j, v := range out.d {
		out.d[j] = float32(math.Tanh(float64(v)))
	}
	return unit(out.d)
}

func (m *matrix) add(o matrix) {
	for i := range m.d {
		m.d[i] += o.d[i]
	}
}

// of applies the layer to every row of a.
func (l *dense) of(a matrix) matrix {
	w := &l.kernel
	out := newMatrix(a.rows, w.cols)
	for i := range a.rows {
		row := out.row(i)
		copy(row, l.bias)
		in := a.row(i)
		for k := 0; k+4 <= len(in); k += 4 { // every width is a multiple of 4
			a0, a1, a2, a3 := in[k], in[k+1], in[k+2], in[k+3]
			w0, w1, w2, w3 := w.row(k)[:len(row)], w.row(k + 1)[:len(row)], w.row(k + 2)[:len(row)], w.row(k + 3)[:len(row)]
			for j := range row {
				// The conversions keep processors from fusing: the sums are the
				// same everywhere.
				row[j] += float32(a0*w0[j]) + float32(a1*w1[j]) + float32(a2*w2[j]) + float32(a3*w3[j])
			}
		}
	}
	return out
}

// of normalises every row of x.
func (s *scaling) of(x matrix) matrix {
	out := newMatrix(x.rows, x.cols)
	for i := range x.rows {
		var mean, variance float64
		for _, v := range x.row(i) {
			mean += float64(v)
		}
		mean /= float64(x.cols)
		for _, v := range x.row(i) {
			variance += (float64(v) - mean) * (float64(v) - mean)
		}
		inverse := 1 / math.Sqrt(variance/float64(x.cols)+1e-6)
		row := out.row(i)
		for j, v := range x.row(i) {
			row[j] = float32(float32((float64(v)-mean)*inverse)*s.scale[j]) + s.bias[j]
		}
	}
	return out
}

// attend is multi-head self-attention.
func (l *layer) attend(x matrix) matrix {
	qkv := l.query.of(l.before.of(x))
	all := qkv.cols / 3
	size := all / heads
	scale := float32(1 / math.Sqrt(float64(size)))
	context := newMatrix(x.rows, all)
	weights := make([]float32, x.rows)
	for h := range heads {
		from, to := h*size, (h+1)*size
		for i := range x.rows {
			query := qkv.row(i)[from:to]
			most := float32(math.Inf(-1))
			for j := range weights {
				weights[j] = dot(query, qkv.row(j)[all+from:all+to]) * scale
				most = max(most, weights[j])
			}
			var sum float32
			for j, w := range weights {
				weights[j] = float32(math.Exp(float64(w - most)))
				sum += weights[j]
			}
			out := context.row(i)[from:to]
			for j, w := range weights {
				w /= sum
				for k, v := range qkv.row(j)[2*all+from : 2*all+to] {
					out[k] += float32(w * v)
				}
			}
		}
	}
	return l.out.of(context)
}

func dot(a, b []float32) (sum float32) {
	b = b[:len(a)]
	for i, v := range a {
		sum += float32(v * b[i])
	}
	return sum
}

// feed is the feed-forward part.
func (l *layer) feed(x matrix) matrix {
	h := l.expand.of(l.between.of(x))
	for i, v := range h.d {
		h.d[i] = max(v, 0)
	}
	return l.shrink.of(h)
}
