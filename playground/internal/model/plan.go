package model

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plan is what a request comes to: steps of tool calls, or only words.
type plan struct {
	steps   [][]Call
	say     string // said before the calls, or instead of them
	think   string
	missing string // what could not be planned, said with the answer
}

func (p plan) total() int {
	n := 0
	for _, s := range p.steps {
		n += len(s)
	}
	return n
}

const help = "I can list, search, create, update and delete posts, say what is selected, archive the selection, " +
	"run several tasks at once, and write a long text. Try \"delete post 2\"."

// maxWords bounds "write a long text of N words".
const maxWords = 20000

var (
	reClause = regexp.MustCompile(`(?i)\s*(?:[,;.]\s+(?:and\s+|then\s+|and then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)((?:please\s+)?(?:list|search|find|create|update|rename|change|delete|remove|archive|what|show|get|call)\b)`)
	reTimes  = regexp.MustCompile(`(?i)^(.*\S)\s+(\d{1,3})\s+times(?:\s+one\s+after\s+the\s+other)?$`)
	reWords  = regexp.MustCompile(`(?i)\b(?:write|tell)\b.*?\b(\d{1,6})\s+words?\b`)
	reTasks  = regexp.MustCompile(`(?is)^run\s+(?:\w+\s+)?tasks?\s*(?:at once|in parallel)?\s*:?\s*(.+)$`)
	reCall   = regexp.MustCompile(`(?is)^call\s+([A-Za-z0-9_.:/-]+)(?:\s+with\s+(.+))?$`)
	reSearch = regexp.MustCompile(`(?is)^(?:search|find)(?:\s+for)?(?:\s+(?:the|all))?(?:\s+posts?)?(?:\s+(?:about|for|with|containing|on))?\s*(.*)$`)
	reList   = regexp.MustCompile(`(?is)^(?:list|show|get)(?:\s+me)?(?:\s+(?:all|the|my))*\s+posts?$`)
	reCreate = regexp.MustCompile(`(?is)^create\s+(?:a\s+|an\s+)?(?:new\s+)?post\s+(?:titled|called|named|with\s+(?:the\s+)?title)\s+(.+)$`)
	reBody   = regexp.MustCompile(`(?is)^(.+?)\s+(?:saying|with\s+(?:the\s+)?(?:body|text))\s+(.+)$`)
	reUpdate = regexp.MustCompile(`(?is)^(?:update|change|rename)\s+(?:the\s+)?(?:title\s+of\s+)?post\s+#?(\d+)(?:\s+(title|body))?\s+to\s+(.+)$`)
	reDelete = regexp.MustCompile(`(?is)^(?:delete|remove)\s+(?:the\s+)?posts?\s+((?:#?\d+(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+)?)+)$`)
	reDigits = regexp.MustCompile(`\d+`)
	reSelect = regexp.MustCompile(`(?i)^(?:what\s+is\s+selected|what's\s+selected|(?:get|show)(?:\s+me)?\s+(?:the\s+)?selection|get_selection)$`)
	reArch   = regexp.MustCompile(`(?i)^archive\s+(?:the\s+|my\s+|this\s+)?selection$`)
	reThink  = regexp.MustCompile(`(?i)^think(?:\s+(?:aloud|hard|first))?\s*(?:[,:]|\s(?:and|then|about))(?:\s+then)?\s+`)
	rePolite = regexp.MustCompile(`(?i)^(?:(?:please|kindly|now|can\s+you|could\s+you|would\s+you)\s*,?\s+)+`)
)

// parse reads a request. Only tools that are offered are planned; for the
// others it says so.
func parse(request string, tools map[string]Tool) plan {
	text := strings.TrimRight(strings.Join(strings.Fields(request), " "), ".!? ")
	var p plan
	if m := reThink.FindString(text); m != "" {
		text = text[len(m):]
		p.think = "The person asks me to " + text + ". I look at the tools that I have and choose what fits."
	}
	if m := reWords.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		p.say = longText(max(1, min(n, maxWords)))
		return p
	}
	if m := reTasks.FindStringSubmatch(text); m != nil {
		return p.with(tools, spawn(m[1]))
	}
	if strings.HasPrefix(strings.ToLower(text), "call ") {
		// A raw call keeps its own text: JSON may hold any word of ours.
		return p.with(tools, rawCalls(strings.TrimSpace(request))...).orHelp()
	}
	if m := reTimes.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[2])
		for range n {
			p = p.with(tools, clause(m[1])...)
		}
		return p.oneByOne().orHelp()
	}
	var calls []Call
	for _, c := range clauses(text) {
		calls = append(calls, clause(c)...)
	}
	return p.with(tools, calls...).orHelp()
}

// with adds one step of calls, as far as their tools are offered.
func (p plan) with(tools map[string]Tool, calls ...Call) plan {
	var step []Call
	var missing []string
	for _, c := range calls {
		if _, ok := tools[c.Name]; !ok {
			missing = append(missing, c.Name)
			continue
		}
		c.ID = fmt.Sprintf("call_%s_%d", c.Name, p.total()+len(step)+1)
		step = append(step, c)
	}
	if len(step) > 0 {
		p.steps = append(p.steps, step)
	}
	if len(missing) > 0 {
		p.missing = fmt.Sprintf("I have no tool %s here, so I cannot do that part.", strings.Join(missing, ", "))
		if p.total() == 0 {
			p.say = p.missing
		}
	}
	return p
}

// oneByOne gives each call a step of its own.
func (p plan) oneByOne() plan {
	var steps [][]Call
	for _, s := range p.steps {
		for _, c := range s {
			c.ID = fmt.Sprintf("call_%s_%d", c.Name, len(steps)+1)
			steps = append(steps, []Call{c})
		}
	}
	p.steps = steps
	return p
}

func (p plan) orHelp() plan {
	if p.total() == 0 && p.say == "" {
		p.say = help
	}
	return p
}

// clauses cuts "list posts and delete post 2" in two. It cuts only before a
// word that begins a request, so "a post titled bread and butter" stays whole.
func clauses(text string) []string {
	var list []string
	for {
		m := reClause.FindStringSubmatchIndex(text)
		if m == nil || m[0] == 0 {
			return append(list, text)
		}
		list = append(list, text[:m[0]])
		text = text[m[2]:]
	}
}

// clause gives the calls of one request; none when it is not understood.
func clause(text string) []Call {
	text = rePolite.ReplaceAllString(strings.TrimSpace(text), "")
	if m := reDelete.FindStringSubmatch(text); m != nil {
		var calls []Call
		for _, id := range reDigits.FindAllString(m[1], -1) {
			// The digits as they were written: no number type can round them.
			calls = append(calls, call("delete_post", `{"post_id":`+number(id)+`}`))
		}
		return calls
	}
	if m := reUpdate.FindStringSubmatch(text); m != nil {
		field := "title"
		if strings.EqualFold(m[2], "body") {
			field = "body"
		}
		return []Call{call("update_post", `{"post_id":`+number(m[1])+`,"`+field+`":`+quote(m[3])+`}`)}
	}
	if m := reCreate.FindStringSubmatch(text); m != nil {
		if b := reBody.FindStringSubmatch(m[1]); b != nil {
			return []Call{call("create_post", `{"title":`+quote(b[1])+`,"body":`+quote(b[2])+`}`)}
		}
		return []Call{call("create_post", `{"title":`+quote(m[1])+`}`)}
	}
	switch {
	case reList.MatchString(text):
		return []Call{call("search_posts", `{"query":""}`)}
	case reSelect.MatchString(text):
		return []Call{call("get_selection", `{}`)}
	case reArch.MatchString(text):
		return []Call{call("archive_selection", `{}`)}
	}
	if m := reSearch.FindStringSubmatch(text); m != nil {
		return []Call{call("search_posts", `{"query":`+quote(m[1])+`}`)}
	}
	if m := reCall.FindStringSubmatch(text); m != nil {
		return rawCalls(text)
	}
	return nil
}

// rawCalls reads "call TOOL with JSON", several of them joined by " and call ".
func rawCalls(text string) []Call {
	var calls []Call
	for i, part := range strings.Split(text, " and call ") {
		if i > 0 {
			part = "call " + part
		}
		m := reCall.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			continue
		}
		args := strings.TrimSpace(m[2])
		if args == "" {
			args = "{}"
		}
		calls = append(calls, call(m[1], args))
	}
	return calls
}

// spawn makes the call for "run two tasks: list posts; search posts about x".
func spawn(list string) Call {
	type task struct {
		Label  string `json:"label"`
		Prompt string `json:"prompt"`
	}
	var in struct {
		Tasks []task `json:"tasks"`
	}
	for _, t := range strings.FieldsFunc(strings.NewReplacer(" and then ", ";", " and ", ";", ", ", ";").Replace(list),
		func(r rune) bool { return r == ';' }) {
		if t = strings.TrimSpace(t); t != "" {
			in.Tasks = append(in.Tasks, task{Label: t, Prompt: t})
		}
	}
	raw, _ := json.Marshal(in)
	return call("spawn_tasks", string(raw))
}

func call(name, args string) Call { return Call{Name: name, Arguments: json.RawMessage(args)} }

// number writes digits as a JSON number: JSON has no leading zeros.
func number(digits string) string {
	if d := strings.TrimLeft(digits, "0"); d != "" {
		return d
	}
	return "0"
}

// quote gives a JSON string; one pair of quotation marks around the text is
// not part of it.
func quote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`""`, `''`, "“”", "«»"} {
		marks := []rune(q)
		r := []rune(s)
		if len(r) >= 2 && r[0] == marks[0] && r[len(r)-1] == marks[1] {
			s = string(r[1 : len(r)-1])
			break
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// longText is n words of plain prose.
func longText(n int) string {
	source := strings.Fields("The harbour wakes before the town does. Boats come in with the tide and the gulls come with the boats. " +
		"Somebody counts the crates, somebody else counts the days until summer, and the light moves slowly over the water.")
	list := make([]string, n)
	for i := range list {
		list[i] = source[i%len(source)]
	}
	return strings.Join(list, " ")
}
