package runtime

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/svedawasm/svedawasm/playground/internal/store"
)

// maxTitle is the length of a provisional title, in characters (rule 29).
const maxTitle = 80

// titleTimeout bounds the generation of a title; the chat is usable meanwhile,
// since it is stored before.
const titleTimeout = 10 * time.Second

var defaultTitle = regexp.MustCompile(`^(?:New Chat|Новый чат)(?: \d+)?$|^__NEW_CHAT__$`)

// wantsTitle reports whether a stored title is none that anybody chose.
func wantsTitle(stored string) bool {
	t := strings.TrimSpace(stored)
	return t == "" || defaultTitle.MatchString(t)
}

// provisionalTitle is the prompt on one line, cut.
func provisionalTitle(prompt string) string {
	r := []rune(strings.Join(strings.Fields(prompt), " "))
	return strings.TrimSpace(string(r[:min(len(r), maxTitle)]))
}

// tellTitle emits the stored title and, when the chat had none before this
// turn, makes one and emits that too.
func (t *Turn) tellTitle(ctx context.Context) {
	chat, err := t.e.Store.Read(context.WithoutCancel(ctx), t.req.Key)
	if err != nil {
		t.e.Log.Error("reading the title", "err", err)
		return
	}
	if chat.Title != "" {
		t.emit(ChatTitle{chat.Title})
	}
	text := firstText(chat)
	if !t.untitled || text == "" || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, titleTimeout)
	defer cancel()
	title, err := t.entry.Model.Title(ctx, text)
	title = provisionalTitle(title)
	if err != nil || title == "" || title == chat.Title {
		if err != nil {
			t.e.Log.Warn("no title was made", "err", err)
		}
		return
	}
	err = t.update(func(tx store.Tx) error {
		now, err := tx.Chat()
		if err != nil {
			return err
		}
		if now.Title != chat.Title {
			title = now.Title // somebody has named it meanwhile
			return nil
		}
		return tx.Touch(title, 0, t.e.Now())
	})
	if err != nil {
		t.e.Log.Error("storing a title", "err", err)
		return
	}
	t.emit(ChatTitle{title})
}
