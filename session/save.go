package session

// Save gives what of the session outlives its page. The slices of bytes are
// shared with the session: the result must be used before the next input.
func (s *Session) Save() *Saved {
	saved := &Saved{
		ChatID: s.chatID, Messages: s.messages, LastSent: s.lastSent, Failed: s.status == Failed, Rest: s.rest,
		Turn: SavedTurn{Active: s.turn.active, Options: s.turn.options, Rounds: s.turn.rounds, Rest: s.turn.rest},
	}
	saved.Fixed = s.fixed.beside(s.calls)
	saved.Local = s.local.beside(s.results)
	batches := map[*batch]int{}
	number := func(b *batch) int {
		if b == nil {
			return 0
		}
		if batches[b] == 0 {
			saved.Batches = append(saved.Batches, SavedBatch{ProcessID: b.processID, Total: b.total, Count: b.count, Rest: b.rest})
			batches[b] = len(saved.Batches)
		}
		return batches[b]
	}
	for _, c := range s.confirmations {
		saved.Confirmations = append(saved.Confirmations, c.save(number(c.batch)))
	}
	for _, g := range s.grants {
		saved.Grants = append(saved.Grants, SavedGrant{
			Toolset: g.tool.toolset, ToolName: g.tool.name, Batch: number(g.batch), Definition: g.definition, Rest: g.rest,
		})
	}
	for _, r := range s.runs {
		saved.Runs = append(saved.Runs, SavedRun{ToolCallID: r.call, ToolName: r.name, Automatic: r.automatic})
	}
	outputs := s.outputs
	if st := s.main; st != nil {
		last := len(s.messages) - 1
		if st.message >= 0 && st.message == last && len(s.messages[last].Parts) == 0 {
			saved.Messages = s.messages[:last] // the placeholder of an answer that is lost
		}
		if !st.accepted {
			outputs = append(append([]output(nil), st.outputs...), s.outputs...)
		}
		saved.Request = &SavedRequest{
			Kind: st.request.Kind, MessageID: st.request.MessageID, UpTo: st.upTo,
		}
	}
	for i := range outputs {
		saved.Outputs = append(saved.Outputs, SavedOutput{Automatic: outputs[i].automatic, Part: outputs[i].part})
	}
	return saved
}

func (c *confirmation) save(batch int) SavedConfirmation {
	saved := SavedConfirmation{
		ToolCallID: c.id, ToolName: c.name, Toolset: c.toolset, Mode: c.mode, Reason: c.reason, Target: c.target,
		Input: c.input, Batch: batch, Position: c.position, State: c.state, Decided: c.decided, Decision: c.decision,
		Automatic: c.auto, Sent: c.stream != 0 || c.before, Conflict: c.conflict, ArrivedAt: c.arrived.saved(),
		Attempt: c.attempt, Asked: c.asked, Uncertain: c.uncertain, Rest: c.rest,
	}
	if c.decided {
		saved.Decision.ToolCallID = c.id
		saved.DecidedAt = c.decidedAt.saved()
	}
	if c.err != nil {
		saved.ErrorCode, saved.ErrorText = c.err.Code, c.err.Message
	}
	return saved
}
