package rawjson

import (
	"strconv"
	"strings"
)

// A path repeats the keys of everything around it, so that a hostile text could make the
// paths together far larger than itself. Past these bounds a place is named by its number.
const (
	maxPath     = 1024    // bytes of one path
	maxAllPaths = 4 << 20 // bytes of all paths together
)

// pathBuilder keeps the JSON Pointer (RFC 6901) of the value at hand.
type pathBuilder struct {
	buf   []byte // longer than maxPath when the pointer is
	total int
	arena strings.Builder // memory of the paths that were given out
}

// arenaSize is how much memory is taken for many paths at once.
const arenaSize = 8 << 10

// enter makes the pointer that of a member or, with an index of 0 or more, an element of
// the container whose pointer has the given length.
func (p *pathBuilder) enter(container int, key []byte, index int) {
	p.buf = p.buf[:container]
	if container > maxPath {
		return
	}
	p.buf = append(p.buf, '/')
	if index >= 0 {
		p.buf = strconv.AppendInt(p.buf, int64(index), 10)
		return
	}
	for _, c := range key {
		if len(p.buf) > maxPath {
			return
		}
		switch c {
		case '~':
			p.buf = append(p.buf, '~', '0')
		case '/':
			p.buf = append(p.buf, '~', '1')
		default:
			p.buf = append(p.buf, c)
		}
	}
}

// path is the pointer, or the number of the value when the bounds are passed.
func (p *pathBuilder) path(value int) string {
	if len(p.buf) == 0 {
		return ""
	}
	if len(p.buf) > maxPath || p.total+len(p.buf) > maxAllPaths {
		return "#" + strconv.Itoa(value)
	}
	p.total += len(p.buf)
	from := p.arena.Len()
	if p.arena.Cap()-from < len(p.buf) {
		p.arena.Reset()
		p.arena.Grow(max(arenaSize, len(p.buf)))
		from = 0
	}
	p.arena.Write(p.buf)
	return p.arena.String()[from:]
}
