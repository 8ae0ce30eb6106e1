package main

import (
	"math"
	"slices"
)

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

func addScaled(sum, vector []float64, factor float64) {
	for i := range vector {
		sum[i] += float64(vector[i] * factor)
	}
}

// normalize returns the former length.
func normalize(v []float64) float64 {
	length := math.Sqrt(dot(v, v)) + 1e-6
	for i := range v {
		v[i] /= length
	}
	return length
}

func newMatrix(rows, columns int) [][]float64 {
	all, out := make([]float64, rows*columns), make([][]float64, rows)
	for i := range out {
		out[i] = all[i*columns : (i+1)*columns]
	}
	return out
}

// removeShared removes the components that all words share.
func (v *vocabulary) removeShared() {
	mean := make([]float64, inputSize)
	for _, w := range v.words {
		addScaled(mean, w.vector, 1/float64(len(v.words)))
	}
	for _, w := range v.words {
		addScaled(w.vector, mean, -1)
	}
	v.project(v.principalAxes()[topRemoved:])
}

// reduce projects the vectors on the principal axes. The first axis is dropped, because all words
// share it.
func (v *vocabulary) reduce() {
	for _, w := range v.words {
		normalize(w.vector)
	}
	v.project(v.principalAxes()[1 : 1+outputSize])
}

func (v *vocabulary) project(axes [][]float64) {
	for _, w := range v.words {
		small := make([]float64, len(axes))
		for i := range small {
			small[i] = dot(w.vector, axes[i])
		}
		normalize(small)
		w.vector = small
	}
}

// principalAxes returns the eigenvectors of the second moments in decreasing order of eigenvalue
// (Jacobi rotations).
func (v *vocabulary) principalAxes() [][]float64 {
	a := v.moments()
	axes := newMatrix(len(a), len(a))
	for i := range axes {
		axes[i][i] = 1
	}
	for range 60 {
		for p := range a {
			for q := p + 1; q < len(a); q++ {
				rotate(a, axes, p, q)
			}
		}
	}
	return sortedColumns(a, axes)
}

func sortedColumns(values, vectors [][]float64) [][]float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if values[i][i] > values[j][j] {
			return -1
		}
		return 1
	})
	out := newMatrix(len(values), len(values))
	for k, i := range order {
		for j := range vectors {
			out[k][j] = vectors[j][i]
		}
	}
	return out
}

func (v *vocabulary) moments() [][]float64 {
	size := len(v.words[0].vector)
	a := newMatrix(size, size)
	for _, w := range v.words {
		for i, x := range w.vector {
			addScaled(a[i], w.vector, x/float64(len(v.words)))
		}
	}
	return a
}

func rotate(a, v [][]float64, p, q int) {
	if math.Abs(a[p][q]) < 1e-14 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	for k := range a {
		a[k][p], a[k][q] = float64(c*a[k][p])-float64(s*a[k][q]), float64(s*a[k][p])+float64(c*a[k][q])
	}
	for k := range a {
		a[p][k], a[q][k] = float64(c*a[p][k])-float64(s*a[q][k]), float64(s*a[p][k])+float64(c*a[q][k])
		v[k][p], v[k][q] = float64(c*v[k][p])-float64(s*v[k][q]), float64(s*v[k][p])+float64(c*v[k][q])
	}
}
