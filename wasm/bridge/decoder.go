package bridge

import (
	"github.com/svedawasm/svedawasm/session/event"
	"github.com/svedawasm/svedawasm/session/sveda"
	"github.com/svedawasm/svedawasm/wasm/frame"
)

// decoder reads a stream for iterateSvedaStream, without a session.
type decoder struct{ reader event.Reader }

// OpenDecoder makes a decoder of Sveda's stream and answers with its handle.
func (b *Bridge) OpenDecoder() int {
	b.out = b.out[:0]
	reader := sveda.New(sveda.Config{}).Reader(event.Turn)
	return b.number(b.decoders.add(&decoder{reader}))
}

// CloseDecoder forgets a decoder.
func (b *Bridge) CloseDecoder(handle int) int {
	b.out = b.out[:0]
	b.decoders.drop(handle)
	return 0
}

// Decode takes length bytes of a stream, or its end, and leaves the events.
// Frames that are no events of the protocol are left out (contract 1.4). The
// answer 1 says that the end mark has come.
func (b *Bridge) Decode(handle, ended, length int) int {
	data := b.data(length)
	d := b.decoders.get(handle)
	if d == nil {
		return b.unknownHandle()
	}
	d.reader.Feed(data)
	done := d.events(b)
	if ended != 0 && !done {
		d.reader.End()
		done = d.events(b)
	}
	if code, err := d.reader.Err(); err != nil {
		return b.fail(failure(code, err.Error()))
	}
	return b.number(truth(done))
}

// events leaves what the reader has, and says whether the end mark came.
func (d *decoder) events(b *Bridge) bool {
	var e event.Event
	for d.reader.Next(&e) {
		switch {
		case e.Kind == event.Done:
			return true
		case e.Kind != event.Malformed && e.Raw != nil:
			b.out = frame.AppendEvent(b.out, e.Raw)
		}
	}
	return false
}
