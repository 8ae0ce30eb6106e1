package prove

// queue is a binary heap. The first item is the least.
type queue[T any] struct {
	items []T
	less  func(a, b *T) bool
}

func (q *queue[T]) push(x T) {
	q.items = append(q.items, x)
	at := len(q.items) - 1
	for at > 0 {
		above := (at - 1) / 2
		if !q.less(&q.items[at], &q.items[above]) {
			return
		}
		q.items[at], q.items[above] = q.items[above], q.items[at]
		at = above
	}
}

func (q *queue[T]) pop() T {
	n := len(q.items) - 1
	first := q.items[0]
	q.items[0] = q.items[n]
	q.items = q.items[:n]
	for at := 0; ; {
		below := 2*at + 1
		if below >= n {
			return first
		}
		if below+1 < n && q.less(&q.items[below+1], &q.items[below]) {
			below++
		}
		if !q.less(&q.items[below], &q.items[at]) {
			return first
		}
		q.items[at], q.items[below] = q.items[below], q.items[at]
		at = below
	}
}
