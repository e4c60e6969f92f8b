package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
)

type settingsInput struct{}

type patchSettingsInput struct {
	Body patchSettings
}

type patchSettings struct {
	Rotate       limits        `json:"rotate" doc:"Changes to the limits of sessions that have none of their own: null takes one away, or all, so that the daemon's holds."`
	KeepMessages clearableSpan `json:"keep_messages" doc:"How long the log keeps messages that have settled (90d); what was learned from them stays. 0s: for ever. null: as the daemon is set."`
}

// settings are a tenant's own; null is what it leaves to the daemon.
type settings struct {
	Rotate       shownLimits `json:"rotate"`
	KeepMessages *string     `json:"keep_messages"`
	UpdatedAt    *time.Time  `json:"updated_at"`
}

func showSettings(s shortterm.Settings) settings {
	return settings{Rotate: showLimits(s.Limits), KeepMessages: shownSpan(s.KeepMessages), UpdatedAt: utc(s.UpdatedAt)}
}

func (s *server) settingsRoutes() {
	handle(s, operation{
		method: http.MethodGet, path: "/v1/settings", name: "get-settings", tag: "Settings",
		summary: "What the tenant has set for itself", answers: map[int]any{200: settings{}},
	}, s.getSettings)
	handle(s, operation{
		method: http.MethodPatch, path: "/v1/settings", name: "edit-settings", tag: "Settings", effect: writes,
		summary: "Change what the tenant has set for itself", description: "Needs an admin's key. In force everywhere within five seconds.",
		answers: map[int]any{200: settings{}},
	}, s.patchSettings)
}

func (s *server) getSettings(ctx context.Context, c *call, _ *settingsInput) (answer, error) {
	found, err := s.Log.Settings(ctx, c.tenant)
	if err != nil {
		return answer{}, err
	}
	return ok(showSettings(found))
}

func (s *server) patchSettings(ctx context.Context, c *call, in *patchSettingsInput) (answer, error) {
	if c.role != RoleAdmin {
		return answer{}, &memd.Error{Kind: memd.Forbidden, Msg: "settings need an admin's API key"}
	}
	b := in.Body
	if !b.Rotate.given && !b.KeepMessages.given {
		return answer{}, memd.InvalidField("body", "must have something to change")
	}
	changed, err := s.Log.ChangeSettings(ctx, c.tenant, func(was shortterm.Settings) (shortterm.Settings, error) {
		was.Limits = b.Rotate.change(was.Limits)
		if b.KeepMessages.given {
			was.KeepMessages = b.KeepMessages.value
		}
		return was, nil
	})
	if err != nil {
		return answer{}, inBody(err)
	}
	return ok(showSettings(changed))
}
