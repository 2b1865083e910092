package session

import (
	"strconv"

	"github.com/svedawasm/svedawasm/session/event"
)

// stream is one request and its response.
type stream struct {
	id      int
	request event.Request
	reader  event.Reader
	// upTo is how many messages the request carries: what is added after it was
	// opened (the placeholder) is not sent (contract sveda 3.6).
	upTo int

	phase  phase
	status int
	head   HeadInfo
	body   []byte // of a response outside 2xx, at most maxErrorBody

	first    int  // messages from here on belong to this stream
	message  int  // the assistant message that is being written, -1 for none
	adopted  bool // its id came from the server
	events   int  // events read, of any kind
	accepted bool // the server has shown that it took the request
	ended    bool // message.end or the like was seen
	failed   *Error
	heard    int64 // when the last byte came, comments included, ms
	watchdog int
	tail     int
	grace    bool // the watchdog was late and has given a little more time

	sent      stamp              // when the request was first sent
	attempt   int                // earlier attempts to deliver the same decisions
	deadline  int                // timer of DecisionTimeout
	hurried   bool               // Online has shortened a wait
	refreshed bool               // made again after a 401
	wire      *event.WireRequest // of decisions: what is sent again, byte for byte
	told      bool               // of a Reread: the answer held the chat
	checks    bool               // of a Reread: it proves which calls still wait
	whole     bool               // of a Reread: it becomes the chat
	outputs   []output           // that the request brings
	asked     bool               // of a Reread: the server holds a confirmation not shown here
	run       string             // the server's name of the run
	live      bool               // of a Reread: a run is on, it will be followed to its end
	tries     int                // resumptions in a row that brought nothing
	parked    bool               // cut, and waiting to be resumed

	// Of a request beside the turn: its promise, and what follows from it.
	ticket  Ticket
	options TurnOptions
	create  bool // of a Probe: open the chat when there is none
	found   bool // of a Probe: there is one
}

type phase uint8

const (
	waiting phase = iota // no response yet
	refused              // a response outside 2xx: its body is collected
	foreign              // 2xx, but no answer of the protocol
	reading
)

const maxErrorBody = 64 << 10

// HeadInfo is what the driver reads from the response headers.
type HeadInfo struct {
	RetryAfter int // ms; -1 when absent or unreadable
	TraceID    string
}

// EndReason says how a response ended.
type EndReason uint8

const (
	// EOF: the body ended.
	EOF EndReason = iota
	// NetworkFailed: the connection failed, before or during the response.
	NetworkFailed
	// RequestFailed: the page could not make the request (its headers or
	// context threw); nothing was sent.
	RequestFailed
	// Gapped: the transport goes on after a break, and the server has said that
	// it cannot do so here: what it told since then is lost (R10).
	Gapped
)

// open starts a request of the turn. The driver asks for its bytes with Encode.
func (s *Session) open(r *event.Request, t Ticket) {
	r.ChatID = s.chatID
	s.tellUnknown()
	s.lastID++
	st := &stream{
		id: s.lastID, request: *r, upTo: len(s.messages), message: -1,
		reader: s.cfg.Dialect.Reader(r.Kind),
	}
	s.main, s.lastMain = st, st.id
	st.outputs, s.outputs = s.outputs, nil
	if len(st.outputs) > 0 {
		s.tellOutputs()
	}
	if r.Kind != event.Reread { // which decides over nothing
		for i := range s.tickets {
			s.tickets[i].stream = st.id
		}
	}
	if t != 0 {
		s.tickets = append(s.tickets, ticket{id: t, stream: st.id})
	}
	s.tellRun()
	s.setStatus(Submitted)
	st.sent = s.stamp()
	if s.traits.Placeholder && r.Kind != event.Decide {
		st.message = s.addMessage(event.Message{ID: s.ids.New(), Role: event.Assistant})
	}
	st.first = len(s.messages)
	if st.message >= 0 {
		st.first = st.message
	}
	if r.Kind == event.Reread {
		st.first = 0 // the whole chat is told again
	}
	s.persist()
	s.send(st)
}

// openSide starts a request beside the turn.
func (s *Session) openSide(r *event.Request, t Ticket) *stream {
	r.ChatID = s.chatID
	s.lastID++
	st := &stream{
		id: s.lastID, request: *r, message: -1, ticket: t, reader: s.cfg.Dialect.Reader(r.Kind),
	}
	s.sides = append(s.sides, st)
	s.send(st)
	return st
}

// sideOf gives the request of this kind beside the turn, nil for none.
func (s *Session) sideOf(kind event.RequestKind) *stream {
	for _, st := range s.sides {
		if st.request.Kind == kind {
			return st
		}
	}
	return nil
}

// send has the driver send the request and watches over the answer.
func (s *Session) send(st *stream) {
	st.heard = s.now
	open := Effect{Kind: OpenStream, ID: st.id}
	if st.refreshed {
		open.Text = "refresh"
	}
	s.effect(open)
	st.watchdog = s.setTimer(silenceTimer, st.id, s.cfg.SilenceTimeout)
	if st.request.Kind == event.Decide && st.deadline == 0 && st.request.Cursor == "" {
		st.deadline = s.setTimer(deliveryTimer, st.id, s.cfg.DecisionTimeout-int(s.since(st.sent)))
	}
}

// Head takes the status and the content type of the response.
func (s *Session) Head(id, status int, contentType string, head HeadInfo) {
	st := s.streamOf(id)
	if st == nil || st.parked || st.phase != waiting {
		return // of an old stream (R29)
	}
	st.status, st.head = status, head
	if st == s.main && head.TraceID != "" {
		s.tellRun()
	}
	switch {
	case status < 200 || status > 299:
		st.phase = refused
	case !st.reader.Accepts(status, contentType):
		st.phase = foreign
	default:
		st.phase = reading
		// Of these two requests the status says it all.
		st.ended = st.request.Kind == event.Stop || st.request.Kind == event.Delete
		s.clearTimer(st.deadline)
		st.deadline = 0
		if st == s.main {
			s.setStatus(Streaming)
		}
	}
}

// Feed takes bytes of the response's body. They must stay unchanged until Feed
// returns.
func (s *Session) Feed(id int, p []byte) {
	st := s.streamOf(id)
	if st == nil || st.parked {
		return
	}
	st.heard = s.now
	switch st.phase {
	case refused, foreign:
		room := maxErrorBody - len(st.body)
		st.body = append(st.body, p[:min(len(p), room)]...)
	case reading:
		st.reader.Feed(p)
		s.read(st)
	}
}

// read applies the events that the reader has. Done ends the response at once:
// nothing follows it, whether or not the server closes (B122).
func (s *Session) read(st *stream) {
	for s.streamOf(st.id) == st && st.reader.Next(&s.readerEv) {
		st.events++
		if s.readerEv.Kind == event.Done {
			st.ended = true
			s.effect(Effect{Kind: AbortStream, ID: st.id})
			s.finish(st, nil)
			return
		}
		s.apply(st, &s.readerEv)
	}
	if s.streamOf(st.id) != st {
		return
	}
	if code, err := st.reader.Err(); err != nil {
		s.effect(Effect{Kind: AbortStream, ID: st.id})
		s.finish(st, s.textError(st, code, err.Error()))
	}
}

// End takes the end of the response, or the failure to get one.
func (s *Session) End(id int, reason EndReason, detail string) {
	st := s.streamOf(id)
	if st == nil || st.parked {
		return
	}
	switch {
	case reason == RequestFailed:
		s.finish(st, newError(CodeRequestFailed, detail))
		return
	case reason == Gapped:
		s.finish(st, s.textError(st, CodeGap, "the server cannot go on where the connection broke"))
		return
	case st.phase == reading:
		st.reader.End()
		s.read(st)
		if s.streamOf(id) != st {
			return
		}
	case st.phase == waiting || reason == NetworkFailed && st.phase != refused:
		s.finish(st, networkError(detail))
		return
	}
	switch {
	case st.phase == refused:
		s.finish(st, s.refusal(st))
	case st.phase == foreign:
		s.finish(st, s.textError(st, CodeNotAStream, "the response is not an answer of the protocol"))
	case st.reader.Cut():
		s.finish(st, s.textError(st, CodeStreamCut, "the stream was cut inside an event"))
	case st.ended:
		s.finish(st, nil)
	case st.events == 0 && reason == EOF:
		s.finish(st, s.textError(st, CodeEmptyStream, s.prefix()+"Stream response has no body"))
	case reason == NetworkFailed:
		s.finish(st, s.textError(st, CodeStreamCut, "the connection was lost inside the stream"))
	default:
		s.finish(st, s.textError(st, CodeStreamCut, "the stream ended before its end mark"))
	}
}

// finish ends a stream, with err when it failed, and lets the turn go on.
func (s *Session) finish(st *stream, err *Error) {
	s.clearTimer(st.watchdog)
	s.clearTimer(st.tail)
	if st != s.main {
		s.dropSide(st)
		s.finishSide(st, err)
		return
	}
	if s.resume(st, err) {
		return
	}
	switch {
	case st.failed != nil:
		err = st.failed // what the server said itself
	case err == nil && st.request.Kind == event.Decide && !st.accepted:
		err = s.textError(st, CodeRefused, "the server did not take the decision")
	}
	s.doubtDecisions(st, err)
	if s.redeliver(st, err) {
		return
	}
	s.clearTimer(st.deadline)
	s.main = nil
	s.dropPlaceholder(st)
	s.closeDecisions(st, err)
	s.closeReread(st, err)
	if st.request.Kind == event.Reread {
		s.checked(err)
	}
	s.doubtful(st, err)
	switch {
	case s.stopped():
	case err != nil:
		s.failStream(st, err)
	}
	s.tellRun()
	s.advance()
}

func (s *Session) dropSide(st *stream) {
	for i, other := range s.sides {
		if other == st {
			s.sides = append(s.sides[:i], s.sides[i+1:]...)
			return
		}
	}
}

// failStream tells a failed request: the promises that hang on it reject, those
// of decisions that are still to be sent live on.
func (s *Session) failStream(st *stream, err *Error) {
	kept := s.tickets[:0]
	for _, t := range s.tickets {
		if t.stream == st.id {
			s.reject(t.id, err)
		} else {
			kept = append(kept, t)
		}
	}
	quiet := st.request.Kind == event.Reread && len(kept) == len(s.tickets)
	s.tickets = kept
	s.setStatus(Failed)
	if quiet {
		s.warn(err.Code, "") // nobody asked for it, and the cause has been told
		return
	}
	s.tellFailure(err)
	s.closeOpenCalls("The connection ended before the result arrived; whether the tool acted is not known.")
	if !st.accepted && len(st.outputs) > 0 {
		s.outputs = append(st.outputs, s.outputs...) // SubmitOutputs tries again
		s.tellOutputs()
	}
	switch err.Code {
	case CodeRequestFailed:
		s.withdrawUserMessage(st)
	case CodeConfirmationNeeded:
		s.withdrawUserMessage(st)
		s.reread(0, true)
	case CodeGap:
		s.notify("gap", []byte(`{"code":"gap"}`))
		s.reread(0, true)
	}
}

// streamOf gives the stream with this id while it is of interest.
func (s *Session) streamOf(id int) *stream {
	if s.main != nil && s.main.id == id {
		return s.main
	}
	for _, st := range s.sides {
		if st.id == id {
			return st
		}
	}
	return nil
}

func (s *Session) refusal(st *stream) *Error {
	why := s.cfg.Dialect.Refuse(st.status, st.body)
	if why.Message == "" {
		why.Message = s.prefix() + "Stream request failed: " + strconv.Itoa(st.status)
	}
	err := s.textError(st, why.Code, why.Message)
	err.Server = why.Text
	err.gone = why.Gone
	return err
}

func networkError(detail string) *Error {
	text := "the connection failed"
	if detail != "" {
		text += ": " + detail
	}
	return newError(CodeNetwork, text)
}

func (s *Session) textError(st *stream, code, text string) *Error {
	err := newError(code, text)
	err.Status = st.status
	err.RetryAfter = st.head.RetryAfter
	err.TraceID = st.trace()
	return err
}

func (s *Session) prefix() string {
	if s.traits.ClientName == "" {
		return ""
	}
	return s.traits.ClientName + " "
}
