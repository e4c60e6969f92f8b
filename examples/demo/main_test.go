package main

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func TestConversation(t *testing.T) {
	all, err := read("../conversation.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var sessions []string
	var last, first time.Time
	calls, results := map[string]bool{}, map[string]bool{}
	for _, b := range all {
		if b.UserID != all[0].UserID {
			t.Errorf("session %s is of another user", b.SessionID)
		}
		if !slices.Contains(sessions, b.SessionID) {
			sessions = append(sessions, b.SessionID)
		}
		for _, m := range b.Messages {
			at, err := time.Parse(time.RFC3339, m.CreatedAt)
			if err != nil || !at.After(last) {
				t.Errorf("session %s: %s does not come after what was said before (%v)", b.SessionID, m.CreatedAt, err)
			}
			last = at
			if first.IsZero() {
				first = at
			}
			var tools struct {
				ToolCallID string                `json:"tool_call_id"`
				ToolCalls  []struct{ ID string } `json:"tool_calls"`
			}
			if err := json.Unmarshal(m.raw, &tools); err != nil {
				t.Fatal(err)
			}
			for _, c := range tools.ToolCalls {
				calls[c.ID] = true
			}
			if tools.ToolCallID != "" {
				results[tools.ToolCallID] = true
			}
		}
	}
	if len(sessions) < 5 || last.Sub(first) < 300*24*time.Hour {
		t.Errorf("%d sessions in %v", len(sessions), last.Sub(first))
	}
	if len(calls) == 0 || len(calls) != len(results) {
		t.Errorf("%d tool calls, %d results", len(calls), len(results))
	}
}
