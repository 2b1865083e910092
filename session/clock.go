package session

// stamp is a moment by both clocks. The monotonic one may stand still while the
// machine sleeps, the wall clock may be set; neither alone tells an age (F24).
type stamp struct {
	mono int64 // ms, as told by At
	wall int64 // ms since 1970, as told by Wall; 0 when not known
}

// longAgo is the age of what nobody can date.
const longAgo = int64(1) << 50

// Wall tells the session the time of day, in ms since 1970. It is asked only
// how long ago something was, over sleep and reloads.
func (s *Session) Wall(ms int64) { s.wall = ms }

func (s *Session) stamp() stamp { return stamp{s.now, s.wall} }

// since is the age of t in ms: the longer one of both clocks, so that a machine
// that slept is not taken for one that was fast. A wall clock that was set back
// is not believed.
func (s *Session) since(t stamp) int64 {
	age := s.now - t.mono
	if t.wall != 0 && s.wall != 0 {
		age = max(age, s.wall-t.wall)
	}
	return age
}

// saved gives the moment as a snapshot keeps it.
func (t stamp) saved() int64 { return t.wall }

// restored gives a moment of an earlier page. Without a believable wall clock it
// was long ago.
func (s *Session) restored(wall int64) stamp {
	age := longAgo
	if wall != 0 && s.wall >= wall {
		age = s.wall - wall
	}
	return stamp{s.now - age, wall}
}
