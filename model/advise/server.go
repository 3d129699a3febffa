package advise

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"applysim/model/background"
	"applysim/model/scenario"
	"applysim/model/schema"
	"applysim/wal"
)

// server tries settings of the subscriber and of the subscription.
func (a *adviser) server() {
	a.binary()
	images := 0.0
	if s := share(float64(a.base.FPIBytes), float64(a.base.WALBytes)); s != nil {
		images = *s
	}
	if images >= imageShare {
		a.checkpoints(images)
		if a.set.WALCompression == wal.NoCompression {
			for _, method := range []string{"lz4", "pglz"} {
				x := &Advice{Kind: "compressed images", SideEffects: []string{"the worker compresses images: CPU is taken where the WAL is saved", "recovery and standbys decompress them"}}
				if method == "lz4" {
					x.Unknown = []string{"whether the subscriber was built with lz4"}
				}
				a.setting(x, images, "wal_compression", method)
			}
		}
	}
	if a.set.WALLevel == "logical" {
		x := &Advice{Kind: "wal_level", SideEffects: []string{"the subscriber can no longer be a publisher itself, nor decode its WAL", "it takes a restart"}, Unknown: []string{"whether anybody decodes the subscriber's WAL"}}
		a.setting(x, 0.5, "wal_level", "replica")
	}
	if !a.set.Autovacuum.On {
		x := &Advice{Kind: "autovacuum", SideEffects: []string{"it reads and writes beside the worker"}}
		a.setting(x, 0.5, "autovacuum", "on")
	}
}

// imageShare is the share of full-page images from which on it is tried to have fewer.
const imageShare = 0.05

// setting tries pairs of a setting's name and value.
func (a *adviser) setting(x *Advice, weight float64, pairs ...string) {
	c := &candidate{advice: x, weight: weight}
	var sql []string
	title := ""
	for i := 0; i < len(pairs); i += 2 {
		c.settings = append(c.settings, scenario.Setting{Name: pairs[i], Value: pairs[i+1]})
		c.claims = append(c.claims, "setting "+pairs[i])
		sql = append(sql, fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", pairs[i], pairs[i+1]))
		if title += ", "; i == 0 {
			title = ""
		}
		title += pairs[i] + " = " + pairs[i+1]
	}
	if x.Kind != "wal_level" {
		sql = append(sql, "SELECT pg_reload_conf()")
	}
	x.Title, x.Steps = title, on(OnSubscriber, sql...)
	a.add(c)
}

// checkpoints tries to have them further apart.
func (a *adviser) checkpoints(images float64) {
	var pairs []string
	for _, cause := range []background.CheckpointCause{background.ByWAL, background.ByTime} {
		if !slices.ContainsFunc(a.base.Checkpoints, func(c scenario.Checkpoint) bool { return c.Cause == cause }) {
			continue
		}
		if cause == background.ByWAL {
			pairs = append(pairs, "max_wal_size", sizeText(4*a.set.MaxWALSize))
		} else if t := min(3*a.set.CheckpointTimeout, mostTimeout); t > a.set.CheckpointTimeout {
			pairs = append(pairs, "checkpoint_timeout", strconv.FormatInt(int64(t/time.Second), 10)+"s")
			if len(pairs) == 2 { // time alone would only make way for the other cause
				pairs = append(pairs, "max_wal_size", sizeText(3*a.set.MaxWALSize))
			}
		}
	}
	if len(pairs) == 0 {
		return
	}
	x := &Advice{
		Kind: "checkpoint distance", SideEffects: []string{"recovery after a crash has more WAL to replay", "pg_wal takes more room"},
		Unknown: []string{"how long a recovery may take"},
	}
	a.setting(x, images, pairs...)
}

// mostTimeout is the longest checkpoint_timeout that is tried.
const mostTimeout = time.Hour

// sizeText is a size in PostgreSQL's units.
func sizeText(n uint64) string {
	if n%(1<<30) == 0 {
		return fmt.Sprintf("%dGB", n>>30)
	}
	return fmt.Sprintf("%dMB", n>>20)
}

// churnShare is the share of a table's rows that must have been updated or deleted for
// its autovacuum to be looked at.
const churnShare = 0.1

// vacuum tries to have autovacuum come to a churned table sooner or later.
func (a *adviser) vacuum(t *schema.Table) {
	sum := a.total(t)
	if !a.set.Autovacuum.On || float64(sum.Updates+sum.Deletes) < churnShare*float64(max(sum.Rows, 1)) {
		return
	}
	claim := "autovacuum " + name(t)
	for i, f := range []struct {
		factor float64
		word   string
	}{{0.25, "sooner"}, {0.1, "sooner"}, {4, "later"}} {
		var statements []string
		scale := 0.0
		for _, p := range family(t) {
			if p.Kind == 'p' {
				continue
			}
			now := a.set.Autovacuum.VacuumScaleFactor
			if text, ok := p.Options["autovacuum_vacuum_scale_factor"]; ok {
				if own, err := strconv.ParseFloat(text, 64); err == nil {
					now = own
				}
			}
			scale = now * f.factor
			statements = append(statements, fmt.Sprintf("ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = %s)", name(p), strconv.FormatFloat(scale, 'g', 3, 64)))
		}
		if len(statements) == 0 || scale > 1 {
			continue
		}
		effects := []string{"VACUUM comes more often: it reads the table and its indexes each time, beside the worker"}
		if f.factor > 1 {
			effects = []string{"dead rows stay longer: the table and its indexes may grow, and reads of them get slower"}
		}
		x := &Advice{
			Kind: "autovacuum", Title: fmt.Sprintf("VACUUM %s %s: autovacuum_vacuum_scale_factor = %s", name(t), f.word, strconv.FormatFloat(scale, 'g', 3, 64)), Table: t.QualifiedName(),
			Steps: on(OnSubscriber, statements...), SideEffects: effects, Unknown: []string{"snapshots that other sessions hold: they keep dead rows from being removed"},
		}
		a.add(&candidate{advice: x, ddl: statements, claims: []string{claim}, group: claim, asks: i, weight: a.tableWeight(t) / 2})
	}
}
