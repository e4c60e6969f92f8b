package format

import (
	"bufio"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// storedMemory is a memory as mem0 or PowerMem give it: by their API, or as a row of their table or
// collection, which has the text as its document.
type storedMemory struct {
	ID         text            `json:"id"`
	MemoryID   text            `json:"memory_id"`
	Memory     text            `json:"memory"`
	Content    text            `json:"content"`
	Document   text            `json:"document"`
	Data       json.RawMessage `json:"data"`
	UserID     text            `json:"user_id"`
	AgentID    text            `json:"agent_id"`
	RunID      text            `json:"run_id"`
	SessionID  text            `json:"session_id"`
	AppID      text            `json:"app_id"`
	ActorID    text            `json:"actor_id"`
	Role       text            `json:"role"`
	Scope      text            `json:"scope"`
	MemoryType text            `json:"memory_type"`
	CreatedAt  instant         `json:"created_at"`
	UpdatedAt  instant         `json:"updated_at"`
	Expires    instant         `json:"expiration_date"`
	Categories json.RawMessage `json:"categories"`
	Category   text            `json:"category"`
	Metadata   json.RawMessage `json:"metadata"`
	Payload    json.RawMessage `json:"payload"`
}

// holders are the members in which lists of memories stand.
var holders = map[string]bool{"results": true, "memories": true, "data": true, "items": true}

// pluginMembers are what PowerMem puts into the metadata of a memory for itself.
var pluginMembers = []string{"importance_score", "access_count", "intelligence", "memory_management", "processing_applied", "fulltext_content",
	"should_forget", "marked_for_forgetting_at", "forgotten_at", "last_accessed_at", "embedding"}

// payloadMembers are those of a row that are not the caller's metadata.
var payloadMembers = append([]string{"data", "hash", "user_id", "agent_id", "run_id", "session_id", "app_id", "actor_id", "role", "created_at", "updated_at",
	"expiration_date", "category", "categories", "metadata", "scope", "text_lemmatized", "attributed_to"}, pluginMembers...)

func readMem0(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	readMemories(file, r, lines, o, false, yield)
}

func readPowerMem(file string, r *bufio.Reader, lines bool, o Options, yield func(Item, error) bool) {
	readMemories(file, r, lines, o, true, yield)
}

func readMemories(file string, r *bufio.Reader, lines bool, o Options, plugin bool, yield func(Item, error) bool) {
	s := newScanner(r)
	for v, err := range memoriesIn(s, r, lines) {
		if err != nil {
			yield(Item{}, err)
			return
		}
		if !giveMemory(Place{file, v.line}, v, o, plugin, yield) {
			return
		}
	}
}

// memoriesIn gives memories that stand by themselves, or in a list that something else holds.
func memoriesIn(s *scanner, r *bufio.Reader, lines bool) iter.Seq2[value, error] {
	if c, err := s.peek(); err == nil && c == '{' && !lines {
		head, _ := r.Peek(lookahead)
		k, _ := keysOf(head)
		if !k.holdsWords() && !k.isCollection() {
			return s.members(holders)
		}
	}
	return s.all(lines)
}

func giveMemory(at Place, v value, o Options, plugin bool, yield func(Item, error) bool) bool {
	if v.fault == "" {
		k, _ := keysOf(v.raw)
		if k.isCollection() {
			return giveCollection(at, v, k, o, plugin, yield)
		}
		if k != nil && !k.holdsWords() {
			for name := range holders { // pages of an API, one on each line
				var page []json.RawMessage
				if json.Unmarshal(k[name], &page) == nil && len(page) > 0 {
					for _, raw := range page {
						if !giveMemory(at, value{raw: raw, line: v.line}, o, plugin, yield) {
							return false
						}
					}
					return true
				}
			}
		}
	}
	m, fault := Memory{}, v.fault
	if fault == "" {
		m, fault = readMemory(v.raw, o.place(), plugin)
	}
	if fault == "is empty" {
		switch k, _ := keysOf(v.raw); {
		case hasWords(v.raw):
			fault = unknownWords
		case !k.holdsWords() && !k.has("data"):
			fault = "is no memory"
		}
	}
	if fault == "is empty" {
		return yield(Item{Conversation: &Conversation{Place: at, Empty: 1}}, nil)
	}
	if fault != "" {
		return yield(bad(at, v.raw, fault), nil)
	}
	m.Place = at
	return yield(Item{Memory: &m}, nil)
}

// holdsWords says whether it is a memory by itself.
func (k keys) holdsWords() bool {
	return k.has("memory") || k.has("content") || k.has("payload") || k.has("document")
}

// isCollection says whether it is all of a collection of Chroma, whose columns are lists.
func (k keys) isCollection() bool {
	return k.has("ids") && (k.has("documents") || k.has("metadatas") || k.has("embeddings"))
}

// giveCollection gives the rows of a collection.
func giveCollection(at Place, v value, k keys, o Options, plugin bool, yield func(Item, error) bool) bool {
	var ids, documents, payloads []json.RawMessage
	for name, into := range map[string]*[]json.RawMessage{"ids": &ids, "documents": &documents, "metadatas": &payloads} {
		if k.has(name) && json.Unmarshal(k[name], into) != nil {
			return yield(bad(at, v.raw, "has columns that are no lists"), nil)
		}
	}
	if len(documents) > 0 && len(documents) != len(ids) || len(payloads) > 0 && len(payloads) != len(ids) {
		return yield(bad(at, v.raw, "has columns of different lengths"), nil)
	}
	for i, id := range ids {
		row := map[string]json.RawMessage{"id": id}
		if len(documents) > 0 {
			row["document"] = documents[i]
		}
		if len(payloads) > 0 {
			row["payload"] = payloads[i]
		}
		raw, err := json.Marshal(row)
		if err != nil {
			return yield(Item{}, err)
		}
		if !giveMemory(at, value{raw: raw, line: v.line}, o, plugin, yield) {
			return false
		}
	}
	return true
}

func readMemory(raw json.RawMessage, place *time.Location, plugin bool) (m Memory, fault string) {
	var s storedMemory
	if json.Unmarshal(raw, &s) != nil {
		return m, "is no memory"
	}
	metadata := s.Metadata
	if len(s.Payload) > 0 {
		payload := s.Payload
		if payload[0] == '"' { // a column of a table, as text
			payload = json.RawMessage(plainText(payload))
		}
		if json.Unmarshal(payload, &s) != nil {
			return m, "is no memory"
		}
		metadata = s.Metadata
		if rest := without(payload, payloadMembers); len(trimSpace(metadata)) <= 4 && len(rest) > 2 {
			metadata = rest
		}
	}
	m.Text = string(s.Memory)
	for _, t := range []string{string(s.Content), plainText(s.Data), string(s.Document)} {
		if m.Text == "" {
			m.Text = t
		}
	}
	if m.Text = strings.ReplaceAll(m.Text, "\x00", ""); strings.TrimSpace(m.Text) == "" {
		return m, "is empty"
	}
	m.UserID, m.AgentID, m.AppID, m.ActorID = idOf(string(s.UserID)), idOf(string(s.AgentID)), idOf(string(s.AppID)), nameOf(string(s.ActorID))
	if m.RunID = idOf(string(s.RunID)); m.RunID == "" {
		m.RunID = idOf(string(s.SessionID))
	}
	if m.Role = roleOf(string(s.Role)); !m.Role.Learnable() {
		m.Role = memd.RoleUser
	}
	var updated time.Time
	for _, t := range []struct {
		into *time.Time
		of   instant
	}{{&m.CreatedAt, s.CreatedAt}, {&updated, s.UpdatedAt}, {&m.ExpiresAt, s.Expires}} {
		if *t.into, _, fault = firstTime(place, t.of); fault != "" {
			return m, fault
		}
	}
	if updated.After(m.CreatedAt) { // it has said so since then
		m.CreatedAt = updated
	}
	of := Mem0
	if plugin {
		of = PowerMem
	}
	for _, id := range []text{s.ID, s.MemoryID} {
		if id != "" && m.ID == "" {
			m.ID = sourceID(of + "/" + string(id))
		}
	}
	m.MemoryType, m.Scope = idOf(string(s.MemoryType)), idOf(string(s.Scope))
	var categories []text
	_ = json.Unmarshal(s.Categories, &categories)
	for _, c := range append(categories, s.Category) {
		if id := idOf(string(c)); id != "" {
			m.Categories = append(m.Categories, id)
		}
	}
	if metadata = trimSpace(metadata); len(metadata) > 0 && metadata[0] == '"' {
		metadata = json.RawMessage(plainText(metadata))
	}
	if plugin {
		metadata = without(metadata, append([]string{"category"}, pluginMembers...))
	}
	if len(metadata) > 2 && metadata[0] == '{' && json.Valid(metadata) {
		m.Metadata = memd.CleanJSON(metadata)
	}
	return m.identified(), ""
}

// without gives an object without some of its members, nil if raw is none.
func without(raw json.RawMessage, names []string) json.RawMessage {
	raw = trimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil
	}
	gone := map[string]json.RawMessage{}
	for _, n := range names {
		gone[n] = nil
	}
	return withMembers(raw, gone)
}
