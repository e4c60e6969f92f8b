package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill/format"
	"github.com/memdhq/memd/importjob"
)

type postImportInput struct {
	Body postImport
}

type postImport struct {
	Data     string     `json:"data" required:"true" doc:"What a file holds: memd's own export, OpenAI chat lines, ShareGPT, conversations.json of ChatGPT or Claude, a day of Slack, LangChain, mem0, PowerMem, or a table. Plain, or in base64, also of what is compressed (gzip, zstd) or an archive (zip)."`
	Encoding string     `json:"encoding" default:"text" enum:"text,base64" doc:"How data is written."`
	Name     string     `json:"name" default:"data" doc:"What stands for it where places are told; where nothing else does, it names the session."`
	Format   *string    `json:"format" enum:"memd,openai,sharegpt,chatgpt,claude,slack,langchain,mem0,powermem,csv" doc:"Default: it is looked at."`
	UserID   identifier `json:"user_id" doc:"Whose everything is. Default: whom the data names."`
	AgentID  identifier `json:"agent_id" doc:"The agent that was talked to, where the data names none."`
	AppID    identifier `json:"app_id" doc:"The app it was talked to in, where the data names none."`
	Timezone string     `json:"timezone" default:"UTC" doc:"The IANA name of the zone of times that do not say where they are of, and in which relative dates are meant."`
	SaidAt   *moment    `json:"said_at" doc:"When messages were said of which nothing says when. Default: when they come."`
	Columns  metadata   `json:"columns" doc:"Of a table: the names of the columns for content, role, name, time, zone, session, user, agent and id."`
}

type importsInput struct {
	Limit  int    `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"How many."`
	Cursor string `query:"cursor" doc:"The next_cursor of the answer before."`
}

type importInput struct {
	ID identifier `path:"id" doc:"The import's id."`
	permission
}

type importsAnswer struct {
	Imports    []importAnswer `json:"imports" doc:"Newest first, without their errors."`
	NextCursor *string        `json:"next_cursor"`
}

// importAnswer is an import and where it stands.
type importAnswer struct {
	ID            string              `json:"id"`
	State         string              `json:"state" enum:"pending,running,done,cancelled,failed" doc:"done: all is in the log; what is learned from it is told by GET /v1/ingest."`
	Name          string              `json:"name"`
	CreatedAt     time.Time           `json:"created_at"`
	EndedAt       *time.Time          `json:"ended_at"`
	Conversations int                 `json:"conversations" doc:"How many are in it."`
	Messages      int                 `json:"messages"`
	Memories      int                 `json:"memories"`
	Sent          int                 `json:"sent" doc:"How many messages and memories were gone through."`
	New           int                 `json:"new" doc:"Of those, how many were not there before."`
	Known         int                 `json:"known" doc:"Of those, how many were."`
	Empty         int                 `json:"empty" doc:"Messages that say nothing, left out."`
	Repeated      int                 `json:"repeated" doc:"Messages that stand there twice, left out."`
	Bad           int                 `json:"bad" doc:"How many could not be taken."`
	Errors        []importjob.Refused `json:"errors" doc:"What could not be taken and why, at most 1,000."`
	Error         *string             `json:"error" doc:"Why it failed."`
}

func (s *server) importRoutes() {
	const tag = "Short tier"
	handle(s, operation{
		method: http.MethodPost, path: "/v1/import", name: "import", tag: tag, effect: writes, canWait: true,
		summary: "Bring conversations and memories from elsewhere",
		description: "202: it is kept, also when memd is restarted, and goes in behind live traffic, in the order it was said. The same again " +
			"adds nothing. A line that cannot be taken costs no other. memd import takes what is larger than a request may be.",
		answers: map[int]any{202: importAnswer{}},
	}, s.postImport)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/import", name: "list-imports", tag: tag, canWait: true,
		summary: "Imports and where they stand", answers: map[int]any{200: importsAnswer{}},
	}, s.getImports)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/import/{id}", name: "get-import", tag: tag, canWait: true,
		summary: "Where an import stands, and what could not be taken", answers: map[int]any{200: importAnswer{}},
	}, s.getImport)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/import/{id}/cancel", name: "cancel-import", tag: tag, effect: writes,
		summary: "End an import; what is in stays", answers: map[int]any{200: importAnswer{}},
	}, s.cancelImport)
}

func (s *server) postImport(ctx context.Context, c *call, in *postImportInput) (answer, error) {
	b := in.Body
	zone, fault := checkZone(b.Timezone, "body")
	if fault != nil {
		return answer{}, fault
	}
	if err := memd.CheckID("body.name", b.Name); err != nil {
		return answer{}, err
	}
	o := importjob.Options{Name: b.Name, UserID: string(b.UserID), AgentID: string(b.AgentID), AppID: string(b.AppID), Timezone: zone}
	if b.Format != nil {
		o.Format = *b.Format
	}
	if b.SaidAt != nil {
		o.SaidAt = b.SaidAt.Time
	}
	if len(b.Columns) > 0 {
		if json.Unmarshal(b.Columns, &o.Columns) != nil {
			return answer{}, memd.InvalidField("body.columns", "must have names of columns alone")
		}
		for what := range o.Columns {
			if _, ok := format.Columns[what]; !ok {
				return answer{}, memd.InvalidField("body.columns", "names something that a column cannot hold")
			}
		}
	}
	data := []byte(b.Data)
	if b.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(b.Data); err != nil {
			return answer{}, memd.InvalidField("body.data", "must be in base64")
		}
	}
	job, err := s.Imports.Submit(ctx, c.tenant, o, data)
	if err != nil {
		return answer{}, inBody(err)
	}
	return answer{status: http.StatusAccepted, body: showImport(job)}, nil
}

func (s *server) getImports(ctx context.Context, c *call, in *importsInput) (answer, error) {
	jobs, err := s.Imports.List(ctx, c.tenant, in.Limit+1, in.Cursor)
	if err != nil {
		return answer{}, err
	}
	out := importsAnswer{Imports: []importAnswer{}}
	for i, job := range jobs {
		if i == in.Limit {
			out.NextCursor = optional(jobs[i-1].ID)
			break
		}
		shown := showImport(job)
		shown.Errors = []importjob.Refused{}
		out.Imports = append(out.Imports, shown)
	}
	return ok(out)
}

func (s *server) getImport(ctx context.Context, c *call, in *importInput) (answer, error) {
	job, err := s.importOf(ctx, c, in)
	if err != nil {
		return answer{}, err
	}
	return ok(showImport(job))
}

func (s *server) cancelImport(ctx context.Context, c *call, in *importInput) (answer, error) {
	if _, err := s.importOf(ctx, c, in); err != nil {
		return answer{}, err
	}
	job, err := s.Imports.Cancel(ctx, c.tenant, string(in.ID))
	if err != nil {
		return answer{}, err
	}
	return ok(showImport(job))
}

// importOf gives an import that is about nobody but who is asked for.
func (s *server) importOf(ctx context.Context, c *call, in *importInput) (importjob.Job, error) {
	job, err := s.Imports.Get(ctx, c.tenant, string(in.ID))
	if err != nil {
		return job, err
	}
	if in.UserID != "" && (len(job.Users) != 1 || job.Users[0] != string(in.UserID)) || in.AgentID != "" && string(in.AgentID) != job.Options.AgentID {
		return job, &memd.Error{Kind: memd.NotFound, Msg: "no such import"}
	}
	return job, nil
}

func showImport(j importjob.Job) importAnswer {
	t := j.Totals
	return importAnswer{ID: j.ID, State: j.State, Name: j.Options.Name, CreatedAt: j.CreatedAt.UTC(), EndedAt: utc(j.EndedAt),
		Conversations: t.Conversations, Messages: t.Messages, Memories: t.Memories, Sent: j.Sent.Sent, New: j.Sent.New, Known: j.Sent.Known,
		Empty: t.Empty, Repeated: t.Repeated, Bad: t.Bad, Errors: append([]importjob.Refused{}, j.Errors...), Error: optional(j.Error)}
}
