package bridge

// handles gives out integers for values. A handle is not given out twice, so
// that one kept too long meets nothing.
type handles[T any] struct {
	values map[int]*T
	last   int
}

func (h *handles[T]) add(value *T) int {
	if h.values == nil {
		h.values = make(map[int]*T)
	}
	h.last++
	h.values[h.last] = value
	return h.last
}

// get gives nil for an unknown handle.
func (h *handles[T]) get(handle int) *T { return h.values[handle] }

func (h *handles[T]) drop(handle int) { delete(h.values, handle) }
