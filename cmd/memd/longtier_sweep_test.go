package main

import (
	"net/http"
	"testing"
)

// What has expired is not kept for ever.
func playWhatHasExpiredIsSwept(t *testing.T, d *daemon) {
	c := d.caller(t)
	gone := c.keep("The voucher has run out", object{"user_id": "swept", "expires_at": "2001-01-01"})
	stays := c.keep("The voucher is good", object{"user_id": "swept", "expires_at": "2999-01-01"})
	d.eventually("it is swept", func() bool {
		status, _ := c.send(http.MethodGet, "/v1/memories/"+gone, nil)
		return status == 404
	})
	c.get(stays)
}
