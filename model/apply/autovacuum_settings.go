package apply

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"applysim/wal/storage"
)

// AutovacuumSettings are the settings that autovacuum goes by.
type AutovacuumSettings struct {
	On                 bool          // autovacuum
	Naptime            time.Duration // autovacuum_naptime
	MaxWorkers         int           // autovacuum_max_workers
	VacuumThreshold    int64         // autovacuum_vacuum_threshold
	VacuumMaxThreshold int64         // autovacuum_vacuum_max_threshold; -1: none
	VacuumScaleFactor  float64       // autovacuum_vacuum_scale_factor
	InsertThreshold    int64         // autovacuum_vacuum_insert_threshold; -1: inserts alone never do
	InsertScaleFactor  float64       // autovacuum_vacuum_insert_scale_factor
	AnalyzeThreshold   int64         // autovacuum_analyze_threshold
	AnalyzeScaleFactor float64       // autovacuum_analyze_scale_factor

	CostLimit       int64         // autovacuum_vacuum_cost_limit; -1: that of VACUUM
	CostDelay       time.Duration // autovacuum_vacuum_cost_delay; -1ms: that of VACUUM
	VacuumCostLimit int64         // vacuum_cost_limit
	VacuumCostDelay time.Duration // vacuum_cost_delay
	PageHit         int64         // vacuum_cost_page_hit
	PageMiss        int64         // vacuum_cost_page_miss
	PageDirty       int64         // vacuum_cost_page_dirty
}

// defaultAutovacuumSettings are those of a new PostgreSQL 18.
func defaultAutovacuumSettings() AutovacuumSettings {
	return AutovacuumSettings{
		On: true, Naptime: time.Minute, MaxWorkers: 3,
		VacuumThreshold: 50, VacuumMaxThreshold: 100_000_000, VacuumScaleFactor: 0.2,
		InsertThreshold: 1000, InsertScaleFactor: 0.2, AnalyzeThreshold: 50, AnalyzeScaleFactor: 0.1,
		CostLimit: -1, CostDelay: 2 * time.Millisecond, VacuumCostLimit: 200, PageHit: 1, PageMiss: 2, PageDirty: 20,
	}
}

// autovacuumNames are the names of the settings.
var autovacuumNames = []string{
	"autovacuum", "autovacuum_naptime", "autovacuum_max_workers",
	"autovacuum_vacuum_threshold", "autovacuum_vacuum_max_threshold", "autovacuum_vacuum_scale_factor",
	"autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_insert_scale_factor",
	"autovacuum_analyze_threshold", "autovacuum_analyze_scale_factor",
	"autovacuum_vacuum_cost_limit", "autovacuum_vacuum_cost_delay", "vacuum_cost_limit", "vacuum_cost_delay",
	"vacuum_cost_page_hit", "vacuum_cost_page_miss", "vacuum_cost_page_dirty",
}

// set changes one of them; name is in lower case.
func (s *AutovacuumSettings) set(name, value string) (err error) {
	switch name {
	case "autovacuum":
		s.On, err = parseBool(value)
	case "autovacuum_naptime":
		s.Naptime, err = parseTime(value, time.Second, time.Second, math.MaxInt32/1000*time.Second)
	case "autovacuum_max_workers":
		var n int64
		n, err = parseInteger(value, 1, 262143)
		s.MaxWorkers = int(n)
	case "autovacuum_vacuum_threshold":
		s.VacuumThreshold, err = parseInteger(value, 0, math.MaxInt32)
	case "autovacuum_vacuum_max_threshold":
		s.VacuumMaxThreshold, err = parseInteger(value, -1, math.MaxInt32)
	case "autovacuum_vacuum_scale_factor":
		s.VacuumScaleFactor, err = parseFactor(value)
	case "autovacuum_vacuum_insert_threshold":
		s.InsertThreshold, err = parseInteger(value, -1, math.MaxInt32)
	case "autovacuum_vacuum_insert_scale_factor":
		s.InsertScaleFactor, err = parseFactor(value)
	case "autovacuum_analyze_threshold":
		s.AnalyzeThreshold, err = parseInteger(value, 0, math.MaxInt32)
	case "autovacuum_analyze_scale_factor":
		s.AnalyzeScaleFactor, err = parseFactor(value)
	case "autovacuum_vacuum_cost_limit":
		s.CostLimit, err = parseInteger(value, -1, 10000)
	case "autovacuum_vacuum_cost_delay":
		s.CostDelay, err = parseDelay(value, -time.Millisecond)
	case "vacuum_cost_limit":
		s.VacuumCostLimit, err = parseInteger(value, 1, 10000)
	case "vacuum_cost_delay":
		s.VacuumCostDelay, err = parseDelay(value, 0)
	case "vacuum_cost_page_hit":
		s.PageHit, err = parseInteger(value, 0, 10000)
	case "vacuum_cost_page_miss":
		s.PageMiss, err = parseInteger(value, 0, 10000)
	case "vacuum_cost_page_dirty":
		s.PageDirty, err = parseInteger(value, 0, 10000)
	}
	return err
}

func parseInteger(s string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("expected a number from %d to %d", least, most)
	}
	return n, nil
}

// parseFactor reads a scale factor.
func parseFactor(s string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f >= 0 && f <= 100) {
		return 0, fmt.Errorf("expected a number from 0 to 100")
	}
	return f, nil
}

// parseDelay reads a cost delay, which unlike other times may be a fraction of its
// base unit, and -1.
func parseDelay(s string, least time.Duration) (time.Duration, error) {
	if strings.TrimSpace(s) == "-1" && least < 0 {
		return least, nil
	}
	number, unit, err := splitUnit(s)
	u := time.Millisecond
	if unit != "" {
		u = timeUnits[unit]
	}
	d := number * float64(u)
	if err != nil || u == 0 || d < 0 || d > 100*float64(time.Millisecond) {
		return 0, fmt.Errorf("expected a time from 0 to 100ms")
	}
	return time.Duration(d), nil
}

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
func (s *AutovacuumSettings) options(parameters map[string]string, prefix string) (o reloptions, err error) {
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
		"autovacuum_enabled":                    func(v string) (err error) { o.enabled, err = parseBool(v); return },
		"autovacuum_vacuum_threshold":           func(v string) (err error) { o.threshold, err = parseInteger(v, 0, math.MaxInt32); return },
		"autovacuum_vacuum_max_threshold":       func(v string) (err error) { o.maxThreshold, err = parseInteger(v, -1, math.MaxInt32); return },
		"autovacuum_vacuum_scale_factor":        func(v string) (err error) { o.scale, err = parseFactor(v); return },
		"autovacuum_vacuum_insert_threshold":    func(v string) (err error) { o.insertThreshold, err = parseInteger(v, -1, math.MaxInt32); return },
		"autovacuum_vacuum_insert_scale_factor": func(v string) (err error) { o.insertScale, err = parseFactor(v); return },
		"autovacuum_analyze_threshold":          func(v string) (err error) { o.analyzeThreshold, err = parseInteger(v, 0, math.MaxInt32); return },
		"autovacuum_analyze_scale_factor":       func(v string) (err error) { o.analyzeScale, err = parseFactor(v); return },
		"autovacuum_vacuum_cost_limit": func(v string) (err error) {
			o.costLimit, err = parseInteger(v, 1, 10000)
			o.ownCost = true
			return
		},
		"autovacuum_vacuum_cost_delay": func(v string) (err error) {
			o.costDelay, err = parseDelay(v, 0)
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
func (s *AutovacuumSettings) cost(visits, dirtied int64, hit bool) int64 {
	read := s.PageMiss
	if hit {
		read = s.PageHit
	}
	return visits*read + dirtied*s.PageDirty
}

// sharedPages is how many pages shared buffers have.
func (s *Settings) sharedPages() int64 { return int64(s.SharedBuffers / storage.PageSize) }
