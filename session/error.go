package session

import "strconv"

// Codes of errors and warnings. They are API: tests and pages match them, never
// the texts (R47).
const (
	CodeAwaitingConsent    = "awaiting-consent"      // a confirmation waits; answer it first
	CodeBusy               = "busy"                  // a turn is running
	CodeClosed             = "closed"                // the session was closed
	CodeHTTPStatus         = "http-status"           // a status outside 2xx without a better code
	CodeConfirmationNeeded = "confirmation-required" // 409: the server holds a confirmation
	CodeHistoryUnavailable = "history-unavailable"   // 409: the server has no such chat
	CodeUnauthorized       = "unauthorized"          // 401
	CodeForbidden          = "forbidden"             // 403
	CodeNotFound           = "not-found"             // 404
	CodeRateLimited        = "rate-limited"          // 429
	CodeTooLarge           = "too-large"             // 413
	CodeNotAStream         = "not-a-stream"          // 2xx that is not an answer of the protocol
	CodeEmptyStream        = "empty-stream"          // 2xx without a single event
	CodeStreamCut          = "stream-cut"            // ended without its end mark
	CodeGap                = "gap"                   // what a resumed connection missed is lost (R10)
	CodeSilent             = "stream-silent"         // no byte for SilenceTimeout
	CodeNetwork            = "network"               // no response at all
	CodeRequestFailed      = "request-failed"        // the page could not build the request
	CodeServerError        = "server-error"          // an error inside the stream, without a code of its own
	CodeRefused            = "refused"               // the server did not accept a decision
	CodeNoResult           = "no-result"             // decided, accepted, but no result came (B027)
	CodeConflict           = "conflicting-call"      // one id, two calls (B008, B124)
	CodeMalformedCall      = "malformed-call"        // a call without id, name or arguments (B021)
	CodeInvalidMessages    = "invalid-messages"      // SetMessages with something else
	CodeStaleConfirmation  = "stale-confirmation"    // decided on other arguments than these (S34)
	CodeArgumentsBlocked   = "arguments-blocked"     // the arguments cannot be shown truly; only deny works
	CodeInvalidDecision    = "invalid-decision"      // neither approve nor deny
	CodeToolRounds         = "tool-round-limit"      // MaxToolRounds reached
	CodeToolFailed         = "tool-failed"           // a handler threw, timed out or was stopped
	CodeNothingToSubmit    = "nothing-to-submit"     // SubmitOutputs without outputs
	CodeAborted            = "aborted"               // stopped by the page
	CodeUnsupported        = "unsupported"           // the protocol has no such request
	CodeOutcomeUnknown     = "outcome-unknown"       // a handler was cut; whether it acted is not known
	CodeOrphanResult       = "orphan-result"         // a result for a call that is not known (warning)
	CodeOutOfOrder         = "out-of-order"          // a call after the end of its turn (warning, S38)
	CodeMalformedResult    = "malformed-result"      // a result without id or output (warning)
	CodeSuperseded         = "superseded"            // the server asks something else now
	CodeUnknownCall        = "unknown-call"          // no such tool call in this chat
	CodeDecisionTimeout    = "decision-timeout"      // no answer to a decision within DecisionTimeout
	CodeLateApproval       = "late-approval"         // approved long ago and not sent; approve again
	CodeUnverified         = "unverified"            // whether the call still waits could not be read
	CodeInterrupted        = "interrupted"           // the page went away meanwhile
	CodeNotDurable         = "not-durable"           // a decision could not be recorded
	CodeNotRetryable       = "not-retryable"         // RetryUnknown of a call that is over
)

// Error is an error of the session with a stable code.
type Error struct {
	Code    string
	Message string
	Status  int // HTTP status, when there was one
	// RetryAfter is what the server asked for in ms, -1 when it did not.
	RetryAfter int
	// Server holds the server's own words, when it sent any.
	Server string
	// ProcessID is a diagnostic hint of CodeAwaitingConsent, never a key
	// (contract asgard C5).
	ProcessID string
	// RunKind says of CodeBusy what holds the chat (contract asgard L3).
	RunKind string
	// TraceID is the server's name for the response, when it gave one.
	TraceID string

	gone   bool // the server knows nothing of what was decided
	inBand bool // it came inside a stream
}

func newError(code, message string) *Error {
	return &Error{Code: code, Message: message, RetryAfter: -1}
}

func (e *Error) Error() string { return e.Message }

// ambiguous says that the server may have done what was asked all the same: it
// was cut on the way, or failed somewhere behind the door. The known server
// answers an unknown model with 422 when it has carried out the decisions
// (contract sveda, S-2).
func (e *Error) ambiguous() bool {
	switch e.Code {
	case CodeRequestFailed, CodeClosed, CodeRefused:
		return false
	}
	return e.Status < 400 || e.Status == 422 || e.Status >= 500
}

// AppendJSON appends the error as the page gets it.
func (e *Error) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = appendQuoted(dst, e.Code)
	dst = append(dst, `,"message":`...)
	dst = appendQuoted(dst, e.Message)
	if e.Status != 0 {
		dst = append(dst, `,"status":`...)
		dst = strconv.AppendInt(dst, int64(e.Status), 10)
	}
	if e.RetryAfter >= 0 {
		dst = append(dst, `,"retryAfter":`...)
		dst = strconv.AppendInt(dst, int64(e.RetryAfter), 10)
	}
	if e.Server != "" {
		dst = append(dst, `,"serverMessage":`...)
		dst = appendQuoted(dst, e.Server)
	}
	if e.Code == CodeAwaitingConsent {
		dst = append(dst, `,"processId":`...)
		dst = appendQuoted(dst, e.ProcessID)
	}
	if e.RunKind != "" {
		dst = append(dst, `,"runKind":`...)
		dst = appendQuoted(dst, e.RunKind)
	}
	if e.TraceID != "" {
		dst = append(dst, `,"traceId":`...)
		dst = appendQuoted(dst, e.TraceID)
	}
	return append(dst, '}')
}
