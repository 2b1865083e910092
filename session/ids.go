package session

// idSource makes ids of the form of a random UUID from the injected seed. Equal
// seeds give equal ids, which the simulation needs; a clock is not asked, so
// ids made in one tick differ (B157).
type idSource struct{ a, b uint64 }

func newIDSource(seed [16]byte) idSource {
	var s idSource
	for i := range 8 {
		s.a = s.a<<8 | uint64(seed[i])
		s.b = s.b<<8 | uint64(seed[8+i])
	}
	return s
}

// next is one step of splitmix64 on each half.
func (s *idSource) next() (uint64, uint64) {
	s.a += 0x9e3779b97f4a7c15
	s.b += 0xd1342543de82ef95
	return mix(s.a), mix(s.b ^ s.a)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// New gives the next id.
func (s *idSource) New() string {
	const digits = "0123456789abcdef"
	hi, lo := s.next()
	hi = hi&^0xf000 | 0x4000                           // version 4
	lo = lo&^(0xc000000000000000) | 0x8000000000000000 // variant 1
	var id [36]byte
	at := 0
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			id[at] = '-'
			at++
		}
		half := hi
		if i >= 16 {
			half = lo
		}
		id[at] = digits[half>>(60-4*(i%16))&0xf]
		at++
	}
	return string(id[:])
}
