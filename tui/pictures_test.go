// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"html"
	"image/color"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
)

// pictures is the directory of the documents' pictures.
const pictures = "../docs/pictures"

// Cells of a picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	margin     = 12.0
)

// TestPicturesShowWhatTheDashboardShows fails when a picture differs from its frame; `make pictures` draws them again.
func TestPicturesShowWhatTheDashboardShows(t *testing.T) {
	tests := map[string]func(*testing.T, *world){
		"dashboard-pools":  func(t *testing.T, w *world) { typed(t, w, "j space") },
		"dashboard-claims": func(t *testing.T, w *world) { typed(t, w, "tab / a g e n t enter j") },
		"dashboard-detail": func(t *testing.T, w *world) {
			w.actor.answer = stuck
			typed(t, w, "tab j enter")
		},
		"dashboard-confirm": func(t *testing.T, w *world) { typed(t, w, "tab space space d") },
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			w := filled(t.Context(), 120, 30, func(o *Options) { o.Color = true })
			prepare(t, w)
			picture := svg(strings.Join(w.frame(), "\n"), 120, 30)
			golden.Compare(t, filepath.Join(pictures, name+".svg"), []byte(picture))
		})
	}
}

// stuck returns the page of the claim that waits for a template.
func stuck(r action.Request) action.Result {
	claim := b.Claim("trainer", "gpu", b.WithUID("c-trainer"), b.InNamespace("research"), b.CreatedAt(ago(9*time.Minute)),
		notReady(apis.ReasonTemplateNotFound, "template gpu does not exist", 9*time.Minute), b.WithLabel("team", "blue"))
	t := &resolve.Target{Ref: resolve.Ref{Kind: resolve.KindClaim, Name: "trainer"}, Namespace: "research", Claim: claim}
	snapshot := diagnose.Snapshot{Now: noon, Claim: claim}
	snapshot.Events = append(snapshot.Events, event("Warning", "TemplateNotFound",
		"SandboxTemplate gpu does not exist in namespace research", 9*time.Minute))
	return action.Result{Verb: r.Verb, Page: &action.Page{Target: r.Targets[0], Found: t, Snapshot: snapshot,
		Diagnosis: diagnose.Of(snapshot)}}
}

// svg draws a frame.
func svg(frame string, width, height int) string {
	canvas := lipgloss.NewCanvas(width, height).Compose(lipgloss.NewLayer(frame))
	var out strings.Builder
	w, h := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">`+"\n",
		w, h, w, h)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	fmt.Fprintf(&out, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" `+
		`font-size="14" fill="#e6edf3" xml:space="preserve">`+"\n")
	for y := range height {
		for x := 0; x < width; {
			x = run(&out, canvas, x, y, width)
		}
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// run draws the cells from x on that have the same style, and returns the position of the next cell.
func run(out *strings.Builder, canvas *lipgloss.Canvas, x, y, width int) int {
	first := canvas.CellAt(x, y)
	var text strings.Builder
	end := x
	for end < width {
		cell := canvas.CellAt(end, y)
		if cell == nil || !cell.Style.Equal(&first.Style) {
			break
		}
		text.WriteString(cell.Content)
		end += max(1, cell.Width)
	}
	if end == x {
		return x + 1
	}
	left, top := margin+float64(x)*cellWidth, margin+float64(y)*cellHeight
	fg, bg := first.Style.Fg, first.Style.Bg
	if first.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = color.RGBA{0x0d, 0x11, 0x17, 0xff}, color.RGBA{0xe6, 0xed, 0xf3, 0xff}
	}
	if bg != nil {
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", left, top,
			float64(end-x)*cellWidth, cellHeight, hex(bg))
	}
	if strings.TrimSpace(text.String()) == "" {
		return end
	}
	style := ""
	if fg != nil {
		style += ` fill="` + hex(fg) + `"`
	}
	if first.Style.Attrs&uv.AttrBold != 0 {
		style += ` font-weight="bold"`
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>`+"\n",
		left, top+cellHeight*0.75, float64(end-x)*cellWidth, style, html.EscapeString(text.String()))
	return end
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
