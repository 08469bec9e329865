package trap

import "math/rand/v2"

// SchemaDrift renames the field that holds the value, and leaves the old name
// with the value of the period before. The version of the schema says so.
type SchemaDrift struct{}

var schemaDrift = Kind{
	ID: 27, Name: "schema_drift", Group: "channel", Family: "uncritical_acceptance",
	Surfaces: []Surface{Records},
	Shapes:   []Shape{Number, Entity},
	Needs:    []Role{Old},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{0},
	Change:   "a field renamed, and a look-alike left in its place",
	Tell:     "the version of the schema",
	New:      func() Trap { return &SchemaDrift{} },
}

// Make implements [Trap].
func (*SchemaDrift) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	was := m.Facts[Old]
	doc := m.Piece.Clone()
	doc.Good = false
	doc.Fields["value"] = was.Value.Text
	doc.Fields["reported_value"] = m.Truth().Value.Text
	doc.Fields["schema"] = "2"
	return m.Defect(was.Value, doc), nil
}
