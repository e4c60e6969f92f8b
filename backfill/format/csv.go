package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Columns are what a column of a table can hold, and the names by which one is known that is not
// named by Options.Columns.
var Columns = map[string][]string{
	"content": {"content", "text", "message", "body", "value", "msg", "utterance"},
	"role":    {"role", "sender", "from", "author_role", "speaker_role", "sender_type", "author", "speaker"},
	"name":    {"name", "sender_name", "author_name", "username", "user_name"},
	"time":    {"created_at", "time", "timestamp", "date", "datetime", "sent_at", "created"},
	"zone":    {"timezone", "time_zone", "tz", "zone"},
	"session": {"session_id", "session", "conversation_id", "conversation", "thread_id", "thread", "chat_id", "chat", "ticket_id"},
	"user":    {"user_id", "user", "customer_id"},
	"agent":   {"agent_id"},
	"id":      {"id", "message_id", "uuid"},
}

// readCSV reads a table with a line for each message.
func readCSV(file string, r *bufio.Reader, _ bool, o Options, yield func(Item, error) bool) {
	head, _ := r.Peek(lookahead)
	first, _, _ := bytes.Cut(head, []byte("\n"))
	in := &table{r: r, comma: ',', line: 1}
	if c := separatorOf(first); c != 0 {
		in.comma = byte(c)
	}
	head1, err := in.next()
	if err != nil || head1.fault != "" {
		yield(bad(Place{file, 1}, first, "is no line of column names"), nil)
		return
	}
	names := head1.fields
	columns, missing := columnsOf(names, o.Columns)
	if missing != "" {
		yield(bad(Place{file, 1}, first, missing), nil)
		return
	}
	if o.Tabled != nil {
		named := map[string]string{}
		for what, i := range columns {
			named[what] = strings.TrimSpace(names[i])
		}
		o.Tabled(file, named)
	}
	loose := newRuns(file, o, yield)
	for row := 1; ; row++ {
		r, err := in.next()
		if errors.Is(err, io.EOF) {
			loose.flush()
			return
		}
		if err != nil {
			yield(Item{}, err)
			return
		}
		fields, line := r.fields, r.line
		if r.fault == "" && len(fields) > len(names) && strings.Join(fields[len(names):], "") != "" {
			r.fault = "has more columns than the table"
		}
		if r.fault != "" {
			if !loose.flush() || !yield(bad(Place{file, line}, []byte(r.text), r.fault), nil) {
				return
			}
			continue
		}
		cell := func(what string) string {
			if i, ok := columns[what]; ok && i < len(fields) {
				return strings.ToValidUTF8(strings.TrimSpace(fields[i]), "\uFFFD")
			}
			return ""
		}
		d := draft{Conversation: Conversation{Place: Place{file, line}, SessionID: sourceID(cell("session")), UserID: idOf(cell("user")), AgentID: idOf(cell("agent"))}}
		s := said{line: line, id: cell("id"), zone: validZone(cell("zone")), text: []byte(r.text)}
		if isOddZone(cell("zone")) {
			s.fault = oddZone
		}
		if t := cell("time"); !isNoTime(t) {
			zone, read := "", false
			place := o.place()
			if s.zone != "" {
				place = mustZone(s.zone)
			}
			if s.at, zone, read = readTime(t, place); !read {
				s.fault = unreadTime
			} else if s.zone == "" {
				s.zone = zone
			}
		}
		role := "user"
		if m, ok := lcCell(cell("content")); ok { // a table of LangChain's
			of := m.said([]byte(cell("content")), line, o)
			s.spoken, s.fault = of.spoken, cmp.Or(s.fault, of.fault)
			if s.at.IsZero() {
				s.at, s.zone = of.at, cmp.Or(s.zone, of.zone)
			}
			if !loose.add(d, s) {
				return
			}
			continue
		}
		if _, ok := columns["role"]; ok {
			if role = string(roleOf(cell("role"))); role == "" && s.fault == "" {
				s.fault = "a role that is not known"
			}
		}
		s.spoken = &spoken{Role: role, Name: cell("name"), Content: cell("content")}
		if s.id == "" && s.at.IsZero() { // two of the same may well be two
			s.id = hashOf("row-", []byte(sessionOf(file)), []byte(strconv.Itoa(row)), encode(s.spoken))
		}
		if !loose.add(d, s) {
			return
		}
	}
}

// lcCell reads a message of LangChain that stands in a cell.
func lcCell(text string) (m lcMessage, ok bool) {
	if !strings.HasPrefix(text, "{") || sniffJSON([]byte(text)) != LangChain {
		return m, false
	}
	return m, json.Unmarshal([]byte(text), &m) == nil && m.kind() != "" && m.kind() != "remove"
}

// columnsOf finds the columns; missing says which is not there.
func columnsOf(names []string, asked map[string]string) (at map[string]int, missing string) {
	at = map[string]int{}
	find := func(name string) (int, bool) {
		for i, n := range names {
			if strings.EqualFold(strings.TrimSpace(n), strings.TrimSpace(name)) {
				return i, true
			}
		}
		return 0, false
	}
	taken := map[int]bool{}
	for what, name := range asked {
		i, ok := find(name)
		if !ok {
			return nil, "has no column that is named like the one for " + what
		}
		at[what], taken[i] = i, true
	}
	for what, known := range Columns {
		if _, ok := at[what]; ok {
			continue
		}
		for _, name := range known {
			if i, ok := find(name); ok && !taken[i] {
				at[what] = i
				break
			}
		}
	}
	if _, ok := at["content"]; !ok {
		return nil, "has no column for the content; name it with columns"
	}
	return at, ""
}

// separatorOf tells what stands between the columns of a line, 0 if nothing does.
func separatorOf(line []byte) rune {
	best, most := rune(0), 0
	for _, c := range []rune{',', ';', '\t', '|'} {
		if n := bytes.Count(line, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}
