package runtime

import (
	"encoding/json"
	"strings"

	"github.com/svedawasm/svedawasm/playground/internal/hostclient"
	"github.com/svedawasm/svedawasm/playground/internal/model"
	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// searchTools is the runtime's own tool that finds host tools where there are
// too many to offer at once (rule 28).
const searchTools = "search_agent_tools"

var searchTool = model.Tool{
	Name:        searchTools,
	Description: "Find tools by what they do. The tools that are found can be called from the next step on.",
	Parameters:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
}

func (t *Turn) search(c store.Call) []byte {
	var in struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return hostclient.Failure("search_agent_tools takes a query.")
	}
	type entry struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	found := []entry{}
	words := strings.Fields(strings.ToLower(in.Query))
	for _, name := range t.tools.order {
		tool := t.tools.host[name]
		text := strings.ToLower(tool.Name + " " + tool.Description)
		for _, w := range words {
			if strings.Contains(text, w) && len(found) < maxFound {
				found = append(found, entry{tool.Name, tool.Description, schemaOf(tool.Parameters)})
				t.tools.found[name] = true
				break
			}
		}
	}
	out, err := json.Marshal(map[string]any{"success": true, "data": map[string]any{"tools": found}})
	if err != nil {
		return hostclient.Failure("The tools could not be listed.")
	}
	return out
}
