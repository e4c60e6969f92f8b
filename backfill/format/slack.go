package format

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Slack export is a folder with a folder for each channel, that has a file for each day, and
// users.json beside them. What is said in a channel on a day is a session, and so is a thread. Where it is
// parted by who speaks, each has in it what they said, and what bots said after they first spoke there.

type slackUser struct {
	ID       text `json:"id"`
	Name     text `json:"name"`
	RealName text `json:"real_name"`
	TZ       text `json:"tz"`
	IsBot    bool `json:"is_bot"`
	Profile  struct {
		RealName    text `json:"real_name"`
		DisplayName text `json:"display_name"`
	} `json:"profile"`
}

func (u slackUser) called() string {
	for _, name := range []text{u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name, u.ID} {
		if name != "" {
			return string(name)
		}
	}
	return ""
}

type slackMessage struct {
	Type     text `json:"type"`
	Subtype  text `json:"subtype"`
	User     text `json:"user"`
	BotID    text `json:"bot_id"`
	Username text `json:"username"`
	Text     text `json:"text"`
	TS       text `json:"ts"`
	ThreadTS text `json:"thread_ts"`
	Profile  struct {
		DisplayName text `json:"display_name"`
		RealName    text `json:"real_name"`
	} `json:"user_profile"`
	Files []struct {
		ID       text `json:"id"`
		Name     text `json:"name"`
		Title    text `json:"title"`
		Mimetype text `json:"mimetype"`
	} `json:"files"`
	Attachments []struct {
		Text     text `json:"text"`
		Fallback text `json:"fallback"`
	} `json:"attachments"`
	Blocks json.RawMessage `json:"blocks"`
}

// seen is where a message may say something beside its text.
func (m slackMessage) seen() json.RawMessage {
	if len(m.Blocks) == 0 {
		return json.RawMessage("null")
	}
	return m.Blocks
}

// slackNotices are subtypes of what nobody said.
var slackNotices = map[text]bool{
	"channel_join": true, "channel_leave": true, "channel_topic": true, "channel_purpose": true, "channel_name": true, "channel_archive": true,
	"channel_unarchive": true, "channel_convert_to_private": true, "group_join": true, "group_leave": true, "group_topic": true, "group_purpose": true,
	"group_name": true, "group_archive": true, "bot_add": true, "bot_remove": true, "pinned_item": true, "unpinned_item": true, "reminder_add": true,
	"tombstone": true, "message_deleted": true, "sh_room_created": true, "huddle_thread": true, "app_conversation_join": true, "bot_disable": true, "bot_enable": true,
}

var slackDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-[a-z_]+)?\.json$`)

// isSlack says whether a folder is a Slack export.
func isSlack(files fs.FS) bool {
	found := false
	for _, name := range []string{"users.json", "channels.json", "dms.json", "groups.json", "mpims.json"} {
		if _, err := fs.Stat(files, name); err == nil {
			found = true
		}
	}
	if !found {
		return false
	}
	entries, _ := fs.ReadDir(files, ".")
	for _, e := range entries {
		if e.IsDir() && isSlackChannel(files, e.Name()) {
			return true
		}
	}
	return false
}

func isSlackChannel(files fs.FS, dir string) bool {
	days, _ := fs.ReadDir(files, dir)
	for _, d := range days {
		if slackDay.MatchString(d.Name()) {
			return true
		}
	}
	return false
}

// slack is what is known while an export is read.
type slack struct {
	users    map[text]slackUser
	channels map[text]string
	o        Options
}

// readSlack reads an export day by day, all channels of a day before those of the next.
func readSlack(f folder, o Options, yield func(Item, error) bool) error {
	s := slack{users: map[text]slackUser{}, channels: map[text]string{}, o: o}
	var users []slackUser
	if err := readWhole(f.files, "users.json", &users); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if !yield(bad(Place{path.Join(f.name, "users.json"), 0}, nil, "the list of users cannot be read"), nil) {
			return errEnough
		}
	}
	for _, u := range users {
		s.users[u.ID] = u
	}
	for _, name := range []string{"channels.json", "groups.json"} {
		var channels []struct{ ID, Name text }
		if readWhole(f.files, name, &channels) == nil {
			for _, c := range channels {
				s.channels[c.ID] = string(c.Name)
			}
		}
	}
	var days []string
	err := fs.WalkDir(f.files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil && name != "." {
			if !yield(bad(Place{path.Join(f.name, name), 0}, nil, reasonOf(err)), nil) {
				return errEnough
			}
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err == nil && !e.IsDir() && slackDay.MatchString(e.Name()) && path.Dir(name) != "." {
			days = append(days, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(days, func(a, b string) int {
		return cmp.Or(cmp.Compare(path.Base(a), path.Base(b)), cmp.Compare(a, b))
	})
	for _, day := range days {
		if err := s.day(f, day, yield); err != nil {
			return err
		}
	}
	return nil
}

func readWhole(files fs.FS, name string, into any) error {
	raw, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func (s slack) day(f folder, name string, yield func(Item, error) bool) error {
	file, err := f.files.Open(name)
	if err != nil {
		if !yield(bad(Place{path.Join(f.name, name), 0}, nil, reasonOf(err)), nil) {
			return errEnough
		}
		return nil
	}
	defer file.Close()
	if !s.read(path.Join(f.name, name), path.Base(path.Dir(name)), strings.TrimSuffix(path.Base(name), ".json"), file, yield) {
		return errEnough
	}
	return nil
}

// readSlackFile reads the file of one day by itself; nothing is known of who speaks but what
// their messages say.
func readSlackFile(file string, r *bufio.Reader, _ bool, o Options, yield func(Item, error) bool) {
	channel := path.Base(path.Dir(strings.ReplaceAll(file, `\`, "/")))
	if idOf(channel) == "" || channel == "/" || !slackDay.MatchString(path.Base(file)) {
		channel = "slack"
	}
	slack{o: o}.read(file, channel, sessionOf(file), r, yield)
}

// slackPlace is a run of messages: a session, and whose it is where it is parted by that.
type slackPlace struct {
	session string
	user    text
}

// read reads the messages of a day in a channel; false if nobody takes any more.
func (s slack) read(file, channel, day string, r io.Reader, yield func(Item, error) bool) bool {
	drafts := map[slackPlace]*draft{}
	people := map[string][]text{} // who has spoken in a session
	var order []slackPlace
	whole := each(file, "is no message", newScanner(bufio.NewReaderSize(r, 64<<10)).all(false), yield, func(m slackMessage, v value) bool {
		if m.TS == "" && m.User == "" && m.BotID == "" && m.Subtype == "" {
			return yield(bad(Place{file, v.line}, v.raw, "is no message"), nil)
		}
		if slackNotices[m.Subtype] || m.Type != "message" && m.Type != "" {
			return true
		}
		session := "slack/" + channel + "/" + day
		if m.ThreadTS != "" {
			session = "slack/" + channel + "/" + string(m.ThreadTS)
		}
		whose := []text{""}
		if s.o.ByPerson {
			if !s.isBot(m) && !slices.Contains(people[session], m.User) {
				people[session] = append(people[session], m.User)
			}
			if whose = people[session]; !s.isBot(m) {
				whose = []text{m.User}
			}
		}
		for _, user := range whose {
			place := slackPlace{session, user}
			d := drafts[place]
			if d == nil {
				d = &draft{Conversation: Conversation{Place: Place{file, v.line}, SessionID: session, UserID: idOf(string(user))}}
				drafts[place], order = d, append(order, place)
			}
			d.said = append(d.said, s.said(m, channel, v))
		}
		return true
	})
	if !whole {
		return false
	}
	for _, place := range order {
		if !give(*drafts[place], s.o, yield) {
			return false
		}
	}
	return true
}

// isBot says of a message that no person wrote it. Some people write by way of an app, which then
// is named too: they are in the list of users.
func (s slack) isBot(m slackMessage) bool {
	if _, known := s.users[m.User]; !known && m.BotID != "" {
		return true
	}
	return m.BotID != "" && m.User == "" || m.Subtype == "bot_message" || s.users[m.User].IsBot
}

func (s slack) said(m slackMessage, channel string, v value) said {
	out := said{line: v.line, text: v.raw, seen: m.seen()}
	user := s.users[m.User]
	var ok bool
	if out.at, out.zone, ok = readTime(string(m.TS), time.UTC); ok {
		out.id = "slack/" + channel + "/" + string(m.TS) + "/" + string(m.User+m.BotID)
	} else if !isNoTime(string(m.TS)) {
		out.fault = unreadTime
	}
	if zone := validZone(string(user.TZ)); zone != "" {
		out.zone = zone
	}
	role, name := memdUser, user.called()
	if s.isBot(m) {
		role = memdAssistant
	}
	for _, n := range []text{m.Username, m.Profile.DisplayName, m.Profile.RealName, m.User, m.BotID} {
		if name == "" {
			name = string(n)
		}
	}
	words := s.plain(string(m.Text))
	for _, a := range m.Attachments { // what bots say stands there
		if words == "" && a.Text+a.Fallback != "" {
			if words = s.plain(string(a.Text)); words == "" {
				words = s.plain(string(a.Fallback))
			}
		}
	}
	var sent []attachment
	for _, f := range m.Files {
		n := f.Name
		if n == "" {
			n = f.Title
		}
		sent = append(sent, attachment{Name: string(n), Type: string(f.Mimetype), ID: string(f.ID)})
	}
	out.spoken = &spoken{Role: role, Name: name}
	out.spoken.attach(words, sent)
	return out
}

const memdUser, memdAssistant = "user", "assistant"

var slackMarkup = regexp.MustCompile(`<([^<>]*)>`)

// plain gives a text of Slack as people saw it.
func (s slack) plain(t string) string {
	t = slackMarkup.ReplaceAllStringFunc(t, func(found string) string {
		target, label, _ := strings.Cut(found[1:len(found)-1], "|")
		switch {
		case strings.HasPrefix(target, "@"):
			if u, ok := s.users[text(target[1:])]; ok {
				return "@" + u.called()
			}
			return "@" + cmp.Or(label, target[1:])
		case strings.HasPrefix(target, "#"):
			return "#" + cmp.Or(label, s.channels[text(target[1:])], target[1:])
		case strings.HasPrefix(target, "!"):
			return "@" + cmp.Or(strings.TrimPrefix(label, "@"), target[1:])
		case label != "" && label != target:
			return label + " (" + target + ")"
		}
		return target
	})
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(t)
}
