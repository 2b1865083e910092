package main

// source gives the random choices of a run: one number decides them all, the
// same in every build (splitmix64).
type source uint64

func (s *source) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n gives a number in [0, n).
func (s *source) n(n int) int { return int(s.next() % uint64(n)) }

// between gives a number in [low, high].
func (s *source) between(low, high int) int { return low + s.n(high-low+1) }

// chance is true p times of a thousand.
func (s *source) chance(p int) bool { return s.n(1000) < p }

// pick gives one of the values.
func pick[T any](s *source, values ...T) T { return values[s.n(len(values))] }
