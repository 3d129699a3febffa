package background

import (
	"fmt"
	"math"
	"strings"
	"time"

	"applysim/model/guc"
	"applysim/wal/storage"
)

// reloptions are a table's own settings for autovacuum, those of its TOAST table if
// prefix is "toast.". A TOAST table without any has those of its table
// (autovacuum.c, extract_autovac_opts and do_autovacuum).
type reloptions struct {
	enabled                 bool
	threshold, maxThreshold int64
	scale                   float64
	insertThreshold         int64
	insertScale             float64
	analyzeThreshold        int64
	analyzeScale            float64
	costLimit               int64
	costDelay               time.Duration
	ownCost                 bool // the table has a limit or delay of its own, and so is left out when limits are balanced
}

// options puts together what a table's storage parameters and the settings say.
func options(s *guc.AutovacuumSettings, parameters map[string]string, prefix string) (o reloptions, err error) {
	o = reloptions{
		enabled: true, threshold: s.VacuumThreshold, maxThreshold: s.VacuumMaxThreshold, scale: s.VacuumScaleFactor,
		insertThreshold: s.InsertThreshold, insertScale: s.InsertScaleFactor,
		analyzeThreshold: s.AnalyzeThreshold, analyzeScale: s.AnalyzeScaleFactor,
		costLimit: s.CostLimit, costDelay: s.CostDelay,
	}
	if o.costLimit <= 0 {
		o.costLimit = s.VacuumCostLimit
	}
	if o.costDelay < 0 {
		o.costDelay = s.VacuumCostDelay
	}
	if prefix != "" {
		own := false
		for name := range parameters {
			own = own || strings.HasPrefix(name, prefix)
		}
		if !own {
			prefix = ""
		}
	}
	for name, read := range map[string]func(string) error{
		"autovacuum_enabled":                    func(v string) (err error) { o.enabled, err = guc.ParseBool(v); return },
		"autovacuum_vacuum_threshold":           func(v string) (err error) { o.threshold, err = guc.ParseInteger(v, 0, math.MaxInt32); return },
		"autovacuum_vacuum_max_threshold":       func(v string) (err error) { o.maxThreshold, err = guc.ParseInteger(v, -1, math.MaxInt32); return },
		"autovacuum_vacuum_scale_factor":        func(v string) (err error) { o.scale, err = guc.ParseFactor(v); return },
		"autovacuum_vacuum_insert_threshold":    func(v string) (err error) { o.insertThreshold, err = guc.ParseInteger(v, -1, math.MaxInt32); return },
		"autovacuum_vacuum_insert_scale_factor": func(v string) (err error) { o.insertScale, err = guc.ParseFactor(v); return },
		"autovacuum_analyze_threshold":          func(v string) (err error) { o.analyzeThreshold, err = guc.ParseInteger(v, 0, math.MaxInt32); return },
		"autovacuum_analyze_scale_factor":       func(v string) (err error) { o.analyzeScale, err = guc.ParseFactor(v); return },
		"autovacuum_vacuum_cost_limit": func(v string) (err error) {
			o.costLimit, err = guc.ParseInteger(v, 1, 10000)
			o.ownCost = true
			return
		},
		"autovacuum_vacuum_cost_delay": func(v string) (err error) {
			o.costDelay, err = guc.ParseDelay(v, 0)
			o.ownCost = true
			return
		},
	} {
		if value, ok := parameters[prefix+name]; ok {
			if err := read(value); err != nil {
				return o, fmt.Errorf("storage parameter %s%s %q: %w", prefix, name, value, err)
			}
		}
	}
	return o, nil
}

// cost is what VACUUM counts for visits of pages and for pages that were clean before. hit
// says that the relation is in shared buffers.
func cost(s *guc.AutovacuumSettings, visits, dirtied int64, hit bool) int64 {
	read := s.PageMiss
	if hit {
		read = s.PageHit
	}
	return visits*read + dirtied*s.PageDirty
}

// sharedPages is how many pages shared buffers have.
func sharedPages(s *guc.Settings) int64 { return int64(s.SharedBuffers / storage.PageSize) }
