package playtest

// machineSet is a set of machines, given by their indexes in the document. It is a Fenwick tree, so
// that add, remove and findNth take logarithmic time.
type machineSet struct {
	has   []bool
	sums  []int
	count int
}

func newMachineSet(n int) *machineSet {
	return &machineSet{has: make([]bool, n), sums: make([]int, n+1)}
}

func (s *machineSet) copyFrom(other *machineSet) {
	copy(s.has, other.has)
	copy(s.sums, other.sums)
	s.count = other.count
}

func (s *machineSet) add(i int)    { s.setMember(i, true, 1) }
func (s *machineSet) remove(i int) { s.setMember(i, false, -1) }

func (s *machineSet) setMember(i int, member bool, change int) {
	if s.has[i] == member {
		return
	}
	s.has[i] = member
	s.count += change
	for at := i + 1; at < len(s.sums); at += at & -at {
		s.sums[at] += change
	}
}

// findNth returns the member with index n. The set must have more than n members.
func (s *machineSet) findNth(n int) int {
	size := 1
	for 2*size < len(s.sums) {
		size *= 2
	}
	at := 0
	for ; size > 0; size /= 2 {
		if at+size < len(s.sums) && s.sums[at+size] <= n {
			at += size
			n -= s.sums[at]
		}
	}
	return at
}
