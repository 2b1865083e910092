package model

import (
	"context"
	"strings"
	"time"
)

// Offline is a deterministic model that needs no network: it reads plain
// English requests from the last user message, plans tool calls with the tools
// that are offered, and puts their results into words. See [plan] for what it
// understands.
type Offline struct {
	// Delay between two deltas of an answer; 0 for none.
	Delay time.Duration
}

// ContextWindow implements [Model].
func (o *Offline) ContextWindow() int { return 8192 }

// Generate implements [Model].
func (o *Offline) Generate(ctx context.Context, req Request, emit func(Delta)) (Response, error) {
	s := read(req)
	var res Response
	switch {
	case s.done:
		res.Text = s.answer()
	default:
		res = s.next()
	}
	if !req.Thinking {
		res.Reasoning = ""
	}
	res.Usage = Usage{Prompt: EstimateTokens(req.Messages)}
	sent, err := o.say(ctx, res, emit)
	sent.Usage = res.Usage
	sent.Usage.Completion = EstimateTokens([]Message{{Text: sent.Text, Reasoning: sent.Reasoning, Calls: res.Calls}})
	if err != nil {
		return sent, err
	}
	sent.Calls, sent.FinishReason = res.Calls, "stop"
	if len(res.Calls) > 0 {
		sent.FinishReason = "tool_calls"
	}
	return sent, nil
}

// say gives the answer word by word, as a model does.
func (o *Offline) say(ctx context.Context, res Response, emit func(Delta)) (sent Response, err error) {
	for _, word := range words(res.Reasoning) {
		if err := o.wait(ctx); err != nil {
			return sent, err
		}
		emit(Delta{Reasoning: word})
		sent.Reasoning += word
	}
	for _, word := range words(res.Text) {
		if err := o.wait(ctx); err != nil {
			return sent, err
		}
		emit(Delta{Text: word})
		sent.Text += word
	}
	return sent, nil
}

func (o *Offline) wait(ctx context.Context) error {
	if o.Delay <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(o.Delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// words cuts a text after each run of spaces; joined they give it back.
func words(s string) []string {
	var list []string
	start := 0
	for i := 1; i < len(s); i++ {
		if s[i-1] == ' ' && s[i] != ' ' {
			list = append(list, s[start:i])
			start = i
		}
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

// Title implements [Model]: the request without its politeness, at most six
// words.
func (o *Offline) Title(ctx context.Context, text string) (string, error) {
	list := strings.Fields(text)
	for len(list) > 1 {
		switch strings.ToLower(strings.Trim(list[0], ",.!")) {
		case "please", "can", "could", "would", "you", "kindly", "hi", "hello", "hey":
			list = list[1:]
			continue
		}
		break
	}
	if len(list) > 6 {
		list = list[:6]
	}
	title := strings.TrimRight(strings.Join(list, " "), ".!?,;:")
	if title == "" {
		return "", nil
	}
	first := []rune(title)
	return strings.ToUpper(string(first[0])) + string(first[1:]), ctx.Err()
}

// situation is what the offline model sees when it looks at a conversation:
// the last request, and what has been done about it since.
type situation struct {
	request string
	tools   map[string]Tool
	steps   int       // model steps since the request
	calls   []Call    // calls since the request, in order
	results []outcome // their results
	plan    plan
	done    bool
}

type outcome struct {
	call Call
	text string // output as JSON text
}

func read(req Request) *situation {
	s := &situation{tools: make(map[string]Tool, len(req.Tools))}
	for _, t := range req.Tools {
		s.tools[t.Name] = t
	}
	last := -1
	for i, m := range req.Messages {
		// "Continue" after max_steps goes on with the request before it.
		if m.Role == User && !(strings.EqualFold(strings.TrimSpace(m.Text), "continue") && last >= 0) {
			last = i
		}
	}
	if last < 0 {
		s.plan = plan{say: help}
		return s
	}
	s.request = req.Messages[last].Text
	byID := map[string]Call{}
	for _, m := range req.Messages[last+1:] {
		switch m.Role {
		case Assistant:
			s.steps++
			for _, c := range m.Calls {
				byID[c.ID] = c
				s.calls = append(s.calls, c)
			}
		case ToolRole:
			s.results = append(s.results, outcome{byID[m.CallID], m.Text})
		}
	}
	s.plan = parse(s.request, s.tools)
	s.done = len(s.plan.steps) > 0 && len(s.calls) >= s.plan.total()
	return s
}

// next is the step that comes now: the calls of the plan that were not made
// yet, or words when there is nothing to call.
func (s *situation) next() Response {
	made := len(s.calls)
	for _, step := range s.plan.steps {
		if made < len(step) {
			return Response{Text: s.plan.say, Reasoning: s.plan.think, Calls: step[made:]}
		}
		made -= len(step)
	}
	return Response{Text: s.plan.say, Reasoning: s.plan.think}
}

// answer puts the results into words, one sentence for each call.
func (s *situation) answer() string {
	var parts []string
	if s.plan.missing != "" {
		parts = append(parts, s.plan.missing)
	}
	for _, r := range s.results {
		parts = append(parts, describe(r))
	}
	if len(parts) == 0 {
		return "Nothing came back."
	}
	return strings.Join(parts, " ")
}
