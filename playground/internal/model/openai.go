package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// OpenAI speaks to any server with OpenAI's chat completions, by the official
// client.
type OpenAI struct {
	client openai.Client
	model  string
	window int
}

// NewOpenAI makes a model; baseURL "" means OpenAI's own server.
func NewOpenAI(key, baseURL, model string) *OpenAI {
	opts := []option.RequestOption{option.WithAPIKey(key)}
	if baseURL != "" {
		opts = append(opts, option.WithBaseURL(baseURL))
	}
	return &OpenAI{client: openai.NewClient(opts...), model: model, window: 128000}
}

// ContextWindow implements [Model].
func (o *OpenAI) ContextWindow() int { return o.window }

// Generate implements [Model].
func (o *OpenAI) Generate(ctx context.Context, req Request, emit func(Delta)) (Response, error) {
	params := openai.ChatCompletionNewParams{
		Model:         o.model,
		Messages:      openAIMessages(req.Messages),
		Tools:         openAITools(req.Tools),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	stream := o.client.Chat.Completions.NewStreaming(ctx, params)
	defer stream.Close()
	var res Response
	var text, reasoning strings.Builder
	var calls []partial
	for stream.Next() {
		chunk := stream.Current()
		if chunk.Usage.TotalTokens > 0 {
			res.Usage = Usage{Prompt: int(chunk.Usage.PromptTokens), Completion: int(chunk.Usage.CompletionTokens)}
		}
		for _, choice := range chunk.Choices {
			d := choice.Delta
			if r := reasoningOf(d); r != "" {
				reasoning.WriteString(r)
				emit(Delta{Reasoning: r})
			}
			if d.Content != "" {
				text.WriteString(d.Content)
				emit(Delta{Text: d.Content})
			}
			for _, c := range d.ToolCalls {
				calls = addPartial(calls, c)
			}
			if choice.FinishReason != "" {
				res.FinishReason = choice.FinishReason
			}
		}
	}
	res.Text, res.Reasoning = text.String(), reasoning.String()
	if err := stream.Err(); err != nil {
		return res, asModelError(err)
	}
	for _, c := range calls {
		// The text is passed on byte by byte; whether it is JSON is judged by
		// the runtime.
		res.Calls = append(res.Calls, Call{ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String())})
	}
	if res.Usage == (Usage{}) {
		res.Usage = Usage{Prompt: EstimateTokens(req.Messages), Completion: Estimate(res.Text) + Estimate(res.Reasoning)}
	}
	return res, nil
}

// partial is a tool call that arrives in pieces.
type partial struct {
	index     int64
	id, name  string
	arguments *strings.Builder
}

func addPartial(calls []partial, d openai.ChatCompletionChunkChoiceDeltaToolCall) []partial {
	for i := range calls {
		if calls[i].index == d.Index {
			calls[i].arguments.WriteString(d.Function.Arguments)
			return calls
		}
	}
	c := partial{index: d.Index, id: d.ID, name: d.Function.Name, arguments: &strings.Builder{}}
	c.arguments.WriteString(d.Function.Arguments)
	return append(calls, c)
}

// reasoningOf reads the field that several compatible servers add.
func reasoningOf(d openai.ChatCompletionChunkChoiceDelta) string {
	f, ok := d.JSON.ExtraFields["reasoning_content"]
	if !ok {
		return ""
	}
	var s string
	_ = json.Unmarshal([]byte(f.Raw()), &s) // null and other types are no reasoning
	return s
}

func openAIMessages(messages []Message) []openai.ChatCompletionMessageParamUnion {
	list := make([]openai.ChatCompletionMessageParamUnion, 0, len(messages))
	for _, m := range messages {
		switch m.Role {
		case System:
			list = append(list, openai.SystemMessage(m.Text))
		case User:
			list = append(list, openai.UserMessage(m.Text))
		case ToolRole:
			list = append(list, openai.ToolMessage(m.Text, m.CallID))
		case Assistant:
			var a openai.ChatCompletionAssistantMessageParam
			if m.Text != "" || len(m.Calls) == 0 {
				a.Content.OfString = openai.String(m.Text)
			}
			for _, c := range m.Calls {
				a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
					OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
						ID:       c.ID,
						Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)},
					},
				})
			}
			list = append(list, openai.ChatCompletionMessageParamUnion{OfAssistant: &a})
		}
	}
	return list
}

func openAITools(tools []Tool) []openai.ChatCompletionToolUnionParam {
	var list []openai.ChatCompletionToolUnionParam
	for _, t := range tools {
		var schema map[string]any
		if json.Unmarshal(t.Parameters, &schema) != nil || schema == nil {
			schema = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		list = append(list, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: schema,
		}))
	}
	return list
}

// Title implements [Model].
func (o *OpenAI) Title(ctx context.Context, text string) (string, error) {
	res, err := o.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model: o.model,
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("Give a title of at most six words for a chat that begins with the user's message. Answer with the title only."),
			openai.UserMessage(text),
		},
	})
	if err != nil {
		return "", asModelError(err)
	}
	if len(res.Choices) == 0 {
		return "", nil
	}
	return strings.Trim(strings.TrimSpace(res.Choices[0].Message.Content), `"“”`), nil
}

// asModelError sorts a failure into the codes of the wire.
func asModelError(err error) error {
	api, ok := errors.AsType[*openai.Error](err)
	if !ok {
		return &Error{Code: CodeFailed, Message: "The model could not be reached.", Err: err}
	}
	switch {
	case api.Code == "insufficient_quota" || api.StatusCode == http.StatusPaymentRequired:
		return &Error{Code: CodeInsufficientCredits, Message: "The model's account has no credit left.", Err: err}
	case api.StatusCode == http.StatusTooManyRequests:
		return &Error{Code: CodeRateLimited, Message: "The model is asked too often. Try again later.", Err: err}
	case api.StatusCode == http.StatusServiceUnavailable || api.StatusCode == 529:
		return &Error{Code: CodeOverloaded, Message: "The model is overloaded. Try again later.", Err: err}
	}
	return &Error{Code: CodeFailed, Message: "The model could not answer.", Err: err}
}
