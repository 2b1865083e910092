package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// describe says in one or two sentences how a call ended.
func describe(r outcome) string {
	var args struct {
		PostID json.Number `json:"post_id"`
		Query  string      `json:"query"`
	}
	_ = json.Unmarshal(r.call.Arguments, &args) // unknown arguments stay empty
	var out struct {
		Success *bool  `json:"success"`
		Denied  bool   `json:"denied"`
		Outcome string `json:"outcome"`
		Reason  string `json:"reason"`
		Error   string `json:"error"`
		Data    struct {
			Count int `json:"count"`
			Posts []struct {
				ID    json.Number `json:"id"`
				Title string      `json:"title"`
			} `json:"posts"`
			Post struct {
				ID    json.Number `json:"id"`
				Title string      `json:"title"`
			} `json:"post"`
			Tasks []struct {
				Label  string `json:"label"`
				Status string `json:"status"`
				Detail string `json:"detail"`
			} `json:"tasks"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(r.text), &out); err != nil {
		return fmt.Sprintf("%s answered: %s", r.call.Name, r.text)
	}
	target := map[string]string{
		"delete_post": "post " + args.PostID.String(), "update_post": "post " + args.PostID.String(),
		"create_post": "the post", "archive_selection": "the selection",
	}[r.call.Name]
	done := map[string]string{
		"delete_post": "deleted", "update_post": "updated", "create_post": "created", "archive_selection": "archived",
	}[r.call.Name]
	if target == "" {
		target, done = r.call.Name, "run"
	}

	failed := out.Success != nil && !*out.Success || out.Success == nil && out.Error != ""
	switch {
	case out.Denied:
		s := fmt.Sprintf("You denied it, so %s was not %s.", target, done)
		if out.Reason != "" {
			s += " Your reason: " + out.Reason
		}
		return s
	case out.Outcome == "unknown":
		return fmt.Sprintf("I do not know whether %s was %s: %s", target, done, out.Error)
	case failed:
		return fmt.Sprintf("%s was not %s: %s.", upper(target), done, strings.TrimRight(out.Error, "."))
	}
	switch r.call.Name {
	case "search_posts":
		return describeList(args.Query, out.Data.Count, func(i int) string {
			return out.Data.Posts[i].ID.String() + ": " + out.Data.Posts[i].Title
		}, len(out.Data.Posts))
	case "create_post":
		return fmt.Sprintf("Post %s was created: %s.", out.Data.Post.ID, out.Data.Post.Title)
	case "spawn_tasks":
		var parts []string
		for _, t := range out.Data.Tasks {
			parts = append(parts, fmt.Sprintf("%s %s.", upper(t.Label), t.Status))
		}
		return fmt.Sprintf("%d tasks ended. %s", len(parts), strings.Join(parts, " "))
	case "get_selection":
		return "The page says about the selection: " + r.text
	}
	return fmt.Sprintf("%s was %s.", upper(target), done)
}

func describeList(query string, count int, line func(int) string, n int) string {
	about := ""
	if query != "" {
		about = fmt.Sprintf(" about %q", query)
	}
	if n == 0 {
		return fmt.Sprintf("There are no posts%s.", about)
	}
	lines := make([]string, n)
	for i := range lines {
		lines[i] = line(i)
	}
	noun, verb := "posts", "are"
	if count == 1 {
		noun, verb = "post", "is"
	}
	return fmt.Sprintf("There %s %d %s%s. %s.", verb, count, noun, about, strings.Join(lines, "; "))
}

func upper(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[0])) + string(r[1:])
}
