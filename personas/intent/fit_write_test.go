package intent

import (
	"bytes"
	"fmt"
	"strings"
)

func writeModel(out *bytes.Buffer, name, comment string, m *model) {
	fmt.Fprintf(out, "// %s\nvar %s = model{\nweights: weightTable{\n", comment, name)
	writeTable(out, &m.weights)
	out.WriteString("},\n")
	for _, kn := range []struct {
		name string
		k    *kernel
	}{{"examples", &m.examples}, {"clauses", &m.clauses}} {
		fmt.Fprintf(out, "%s: kernel{\nweights: [pairCount]float64{%s},\nbias: [kindCount]float64{%s},\nempty: [kindCount]float64{%s},\ncrowd: %.3f,\n},\n",
			kn.name, joinNumbers(kn.k.weights[:]), joinNumbers(kn.k.bias[:]), joinNumbers(kn.k.empty[:]), kn.k.crowd)
	}
	out.WriteString("}\n\n")
}

func writeTable(out *bytes.Buffer, w *weightTable) {
	for k := range w {
		fmt.Fprintf(out, "{%s}, // %s\n", joinNumbers(w[k][:]), kindNames[k])
	}
}

func joinNumbers(numbers []float64) string {
	var out strings.Builder
	for i, x := range numbers {
		if i > 0 {
			out.WriteString(", ")
		}
		if i%10 == 0 && i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%.3f", x)
	}
	return out.String()
}
