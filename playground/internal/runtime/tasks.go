package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// spawnTasks is the runtime's own tool that lets several small agents work at
// once (rule 20). None of them can show a card, so none may call a tool that
// needs one.
const spawnTasks = "spawn_tasks"

const (
	maxTasks     = 6
	parallel     = 4
	maxTaskSteps = 6
)

var spawnTool = model.Tool{
	Name: spawnTasks,
	Description: "Run up to 6 independent tasks at once, each by an agent of its own with the host's tools. " +
		"Tools that need a confirmation cannot be used in a task.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"tasks":{"type":"array","maxItems":6,"items":{"type":"object",` +
		`"properties":{"label":{"type":"string"},"prompt":{"type":"string"}},"required":["prompt"]}}},"required":["tasks"]}`),
}

// task is one entry of the output's data.tasks.
type task struct {
	TaskState
	Text   string          `json:"text,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	prompt string
}

// Words of TaskState.Status.
const (
	taskPending   = "pending"
	taskRunning   = "running"
	taskCompleted = "completed"
	taskFailed    = "failed"
)

func (t *Turn) spawn(ctx context.Context, c store.Call) []byte {
	var in struct {
		Tasks []struct {
			Label  string `json:"label"`
			Prompt string `json:"prompt"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil || len(in.Tasks) == 0 || len(in.Tasks) > maxTasks {
		return hostclient.Failure(fmt.Sprintf("spawn_tasks takes 1 to %d tasks, each with a prompt.", maxTasks))
	}
	tasks := make([]task, len(in.Tasks))
	for i, x := range in.Tasks {
		tasks[i] = task{TaskState: TaskState{ID: fmt.Sprintf("task_%d", i+1), Label: or(x.Label, x.Prompt), Status: taskPending}, prompt: x.Prompt}
	}

	var mu sync.Mutex
	set := func(i int, status string) {
		mu.Lock()
		defer mu.Unlock()
		tasks[i].Status = status
		states := make([]TaskState, len(tasks))
		for j := range tasks {
			states[j] = tasks[j].TaskState
		}
		t.emit(ToolProgress{Phase: spawnTasks, Tasks: states})
	}
	slots := make(chan struct{}, parallel)
	var all sync.WaitGroup
	for i := range tasks {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			set(i, taskRunning)
			text, result, ok := t.runTask(ctx, tasks[i].prompt)
			mu.Lock()
			tasks[i].Text, tasks[i].Result = text, result
			mu.Unlock()
			if ok {
				set(i, taskCompleted)
			} else {
				set(i, taskFailed)
			}
		})
	}
	all.Wait()
	out, err := json.Marshal(map[string]any{"success": true, "data": map[string]any{"tasks": tasks}})
	if err != nil {
		return hostclient.Failure("The results of the tasks could not be read.")
	}
	return out
}

// runTask is a conversation of its own that nobody sees: the prompt, model
// steps, the host's tools. It gives the last words and the last result.
func (t *Turn) runTask(ctx context.Context, prompt string) (text string, result json.RawMessage, ok bool) {
	messages := []model.Message{{Role: model.System, Text: systemPrompt}, {Role: model.User, Text: prompt}}
	ok = true
	for range maxTaskSteps {
		res, err := t.entry.Model.Generate(ctx, model.Request{
			Model: t.entry.ID, Messages: messages, Tools: t.tools.backend(), Thinking: false,
		}, func(model.Delta) {})
		if err != nil {
			return "", hostclient.Failure(model.AsError(err).Message), false
		}
		text = strings.TrimSpace(res.Text)
		if len(res.Calls) == 0 {
			return text, result, ok
		}
		messages = append(messages, model.Message{Role: model.Assistant, Text: res.Text, Calls: res.Calls})
		for _, c := range res.Calls {
			result = t.taskCall(ctx, c)
			ok = ok && !saysFailed(result)
			messages = append(messages, model.Message{Role: model.ToolRole, Text: string(result), CallID: c.ID, CallName: c.Name})
		}
	}
	return text, result, false
}

func (t *Turn) taskCall(ctx context.Context, c model.Call) json.RawMessage {
	input, fault := checkInput(c.Arguments)
	_, known := t.tools.host[c.Name]
	_, frontend := t.tools.client[c.Name]
	switch {
	case t.tools.confirming(c.Name) || t.tools.gated[c.Name]:
		return outputTask
	case fault != "":
		return hostclient.Failure(fault)
	case !known || frontend:
		return hostclient.Failure(fmt.Sprintf("There is no tool %q in a task.", c.Name))
	}
	return t.callHost(ctx, c.Name, input)
}
