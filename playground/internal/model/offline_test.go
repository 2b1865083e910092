package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var everything = []string{"search_posts", "create_post", "update_post", "delete_post", "get_selection", "archive_selection", "spawn_tasks"}

func tools(names ...string) []Tool {
	list := make([]Tool, len(names))
	for i, n := range names {
		list[i] = Tool{Name: n}
	}
	return list
}

// ask makes one step and writes its calls as "name{args} …".
func ask(t *testing.T, messages []Message, offered []Tool) (Response, string) {
	t.Helper()
	var o Offline
	res, err := o.Generate(t.Context(), Request{Messages: messages, Tools: offered, Thinking: true}, func(Delta) {})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, c := range res.Calls {
		calls = append(calls, c.Name+string(c.Arguments))
	}
	return res, strings.Join(calls, " ")
}

func TestOfflinePlans(t *testing.T) {
	tests := []struct{ request, want string }{
		{"list posts", `search_posts{"query":""}`},
		{"Please list all the posts.", `search_posts{"query":""}`},
		{"search posts about bread", `search_posts{"query":"bread"}`},
		{"find posts with salt and pepper", `search_posts{"query":"salt and pepper"}`},
		{"create a post titled Bread and butter", `create_post{"title":"Bread and butter"}`},
		{`create a post titled "A <b> & 'c' \ d" saying hello`, `create_post{"title":"A <b> & 'c' \\ d","body":"hello"}`},
		{"update post 2 title to New name", `update_post{"post_id":2,"title":"New name"}`},
		{"change post 3 body to text", `update_post{"post_id":3,"body":"text"}`},
		{"rename post 4 to Four", `update_post{"post_id":4,"title":"Four"}`},
		{"delete post 2", `delete_post{"post_id":2}`},
		{"can you please delete post #2?", `delete_post{"post_id":2}`},
		{"delete post 9007199254740993", `delete_post{"post_id":9007199254740993}`},
		{"delete post 007", `delete_post{"post_id":7}`},
		{"delete posts 1 and 3", `delete_post{"post_id":1} delete_post{"post_id":3}`},
		{"delete posts 1, 2 and 3", `delete_post{"post_id":1} delete_post{"post_id":2} delete_post{"post_id":3}`},
		{"list posts and delete post 2", `search_posts{"query":""} delete_post{"post_id":2}`},
		{"delete post 2 and archive the selection", `delete_post{"post_id":2} archive_selection{}`},
		{"archive the selection", `archive_selection{}`},
		{"what is selected?", `get_selection{}`},
		{"search posts about x 3 times", `search_posts{"query":"x"}`},
		{"run two tasks: list posts and search posts about x", `spawn_tasks{"tasks":[{"label":"list posts","prompt":"list posts"},{"label":"search posts about x","prompt":"search posts about x"}]}`},
		{`call delete_post with {"post_id": 1.0, "and": "create a post"}`, `delete_post{"post_id": 1.0, "and": "create a post"}`},
		{`call delete_post with {"post_id":1} and call search_posts`, `delete_post{"post_id":1} search_posts{}`},
		{"think, then list posts", `search_posts{"query":""}`},
		{"hello", ""},
		{"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.request, func(t *testing.T) {
			res, got := ask(t, []Message{{Role: User, Text: tt.request}}, tools(everything...))
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if tt.want == "" && !strings.Contains(res.Text, "I can list") {
				t.Errorf("says %q", res.Text)
			}
		})
	}
}

func TestOfflinePlansOnlyOfferedTools(t *testing.T) {
	res, calls := ask(t, []Message{{Role: User, Text: "delete post 2"}}, tools("search_posts"))
	if calls != "" || res.Text != "I have no tool delete_post here, so I cannot do that part." {
		t.Errorf("calls %s, says %q", calls, res.Text)
	}
	_, calls = ask(t, []Message{{Role: User, Text: "list posts and delete post 2"}}, tools("search_posts"))
	if calls != `search_posts{"query":""}` {
		t.Errorf("calls %s", calls)
	}
}

func TestOfflineAnswersFromResults(t *testing.T) {
	tests := []struct{ request, output, want string }{
		{"delete post 2", `{"success":true,"data":{"post":{"id":2}}}`, "Post 2 was deleted."},
		{"delete post 2", `{"success":false,"denied":true,"error":"The user denied this action and it was not executed."}`, "You denied it, so post 2 was not deleted."},
		{"delete post 2", `{"success":false,"denied":true,"error":"x","reason":"wrong row"}`, "You denied it, so post 2 was not deleted. Your reason: wrong row"},
		{"delete post 99", `{"success":false,"error":"post 99 does not exist"}`, "Post 99 was not deleted: post 99 does not exist."},
		{"delete post 2", `{"success":false,"outcome":"unknown","error":"lost"}`, "I do not know whether post 2 was deleted: lost"},
		{"create a post titled X", `{"success":true,"data":{"post":{"id":11,"title":"X"}}}`, "Post 11 was created: X."},
		{"update post 2 title to X", `{"success":true,"data":{"post":{"id":2}}}`, "Post 2 was updated."},
		{"list posts", `{"success":true,"data":{"count":2,"posts":[{"id":1,"title":"A"},{"id":2,"title":"B"}]}}`, "There are 2 posts. 1: A; 2: B."},
		{"search posts about x", `{"success":true,"data":{"count":0,"posts":[]}}`, `There are no posts about "x".`},
		{"archive the selection", `{"archived":3}`, "The selection was archived."},
		{"archive the selection", `{"error":"nothing is selected"}`, "The selection was not archived: nothing is selected."},
		{"what is selected", `{"ids":[1]}`, `The page says about the selection: {"ids":[1]}`},
		{"delete post 2", "Tool result was not available.", "delete_post answered: Tool result was not available."},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			messages := []Message{{Role: User, Text: tt.request}}
			first, _ := ask(t, messages, tools(everything...))
			messages = append(messages, Message{Role: Assistant, Calls: first.Calls})
			for _, c := range first.Calls {
				messages = append(messages, Message{Role: ToolRole, CallID: c.ID, CallName: c.Name, Text: tt.output})
			}
			res, calls := ask(t, messages, tools(everything...))
			if calls != "" || res.Text != tt.want {
				t.Errorf("calls %s, says %q, want %q", calls, res.Text, tt.want)
			}
		})
	}
}

func TestOfflineTakesStepsOneAfterTheOther(t *testing.T) {
	messages := []Message{{Role: User, Text: "search posts about x 3 times"}}
	for i := range 3 {
		res, calls := ask(t, messages, tools(everything...))
		if calls != `search_posts{"query":"x"}` || res.Calls[0].ID != fmt.Sprintf("call_search_posts_%d", i+1) {
			t.Fatalf("step %d: %s %v", i, calls, res.Calls)
		}
		messages = append(messages, Message{Role: Assistant, Calls: res.Calls},
			Message{Role: ToolRole, CallID: res.Calls[0].ID, Text: `{"data":{"posts":[]}}`})
		if i == 1 {
			messages = append(messages, Message{Role: User, Text: "Continue"}) // after max_steps
		}
	}
	if res, calls := ask(t, messages, tools(everything...)); calls != "" || !strings.Contains(res.Text, "no posts") {
		t.Errorf("calls %s, says %q", calls, res.Text)
	}
}

func TestOfflineLongText(t *testing.T) {
	var o Offline
	deltas := 0
	res, err := o.Generate(t.Context(), Request{Messages: []Message{{Role: User, Text: "write a long text of 200 words"}}},
		func(Delta) { deltas++ })
	if err != nil || len(strings.Fields(res.Text)) != 200 || deltas != 200 {
		t.Errorf("%d words in %d deltas, %v", len(strings.Fields(res.Text)), deltas, err)
	}
}

func TestOfflineThinking(t *testing.T) {
	for _, on := range []bool{true, false} {
		var o Offline
		var reasoning strings.Builder
		res, err := o.Generate(t.Context(), Request{Messages: []Message{{Role: User, Text: "think, list posts"}}, Tools: tools("search_posts"), Thinking: on},
			func(d Delta) { reasoning.WriteString(d.Reasoning) })
		if err != nil || (res.Reasoning != "") != on || reasoning.String() != res.Reasoning {
			t.Errorf("thinking %v: reasoning %q, deltas %q, %v", on, res.Reasoning, reasoning.String(), err)
		}
	}
}

func TestOfflineStops(t *testing.T) {
	o := Offline{Delay: time.Millisecond}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	res, err := o.Generate(ctx, Request{Messages: []Message{{Role: User, Text: "write 1000 words"}}}, func(Delta) {
		if n++; n == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(strings.Fields(res.Text)) != 5 {
		t.Errorf("%d words, error %v; want what was said and the error", len(strings.Fields(res.Text)), err)
	}
}

func TestWordsJoinAgain(t *testing.T) {
	for _, s := range []string{"", " ", "a", "a b", "  a  b  ", "ä ö", "a\nb c"} {
		if got := strings.Join(words(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestCatalogue(t *testing.T) {
	c := Catalogue{{ID: "a", Provider: "x"}, {ID: "b", Provider: "y"}}
	for _, tt := range []struct{ id, provider, want string }{{"", "", "a"}, {"b", "", "b"}, {"", "y", "b"}, {"a", "y", ""}, {"z", "", ""}} {
		e, err := c.Find(tt.id, tt.provider)
		if e.ID != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("Find(%q, %q) = %q, %v", tt.id, tt.provider, e.ID, err)
		}
	}
}
