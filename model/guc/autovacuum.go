package guc

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
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

// defaultAutovacuum are those of a new PostgreSQL 18.
func defaultAutovacuum() AutovacuumSettings {
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
		s.On, err = ParseBool(value)
	case "autovacuum_naptime":
		s.Naptime, err = ParseTime(value, time.Second, time.Second, math.MaxInt32/1000*time.Second)
	case "autovacuum_max_workers":
		var n int64
		n, err = ParseInteger(value, 1, 262143)
		s.MaxWorkers = int(n)
	case "autovacuum_vacuum_threshold":
		s.VacuumThreshold, err = ParseInteger(value, 0, math.MaxInt32)
	case "autovacuum_vacuum_max_threshold":
		s.VacuumMaxThreshold, err = ParseInteger(value, -1, math.MaxInt32)
	case "autovacuum_vacuum_scale_factor":
		s.VacuumScaleFactor, err = ParseFactor(value)
	case "autovacuum_vacuum_insert_threshold":
		s.InsertThreshold, err = ParseInteger(value, -1, math.MaxInt32)
	case "autovacuum_vacuum_insert_scale_factor":
		s.InsertScaleFactor, err = ParseFactor(value)
	case "autovacuum_analyze_threshold":
		s.AnalyzeThreshold, err = ParseInteger(value, 0, math.MaxInt32)
	case "autovacuum_analyze_scale_factor":
		s.AnalyzeScaleFactor, err = ParseFactor(value)
	case "autovacuum_vacuum_cost_limit":
		s.CostLimit, err = ParseInteger(value, -1, 10000)
	case "autovacuum_vacuum_cost_delay":
		s.CostDelay, err = ParseDelay(value, -time.Millisecond)
	case "vacuum_cost_limit":
		s.VacuumCostLimit, err = ParseInteger(value, 1, 10000)
	case "vacuum_cost_delay":
		s.VacuumCostDelay, err = ParseDelay(value, 0)
	case "vacuum_cost_page_hit":
		s.PageHit, err = ParseInteger(value, 0, 10000)
	case "vacuum_cost_page_miss":
		s.PageMiss, err = ParseInteger(value, 0, 10000)
	case "vacuum_cost_page_dirty":
		s.PageDirty, err = ParseInteger(value, 0, 10000)
	}
	return err
}

// ParseInteger reads a number in a range.
func ParseInteger(s string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("expected a number from %d to %d", least, most)
	}
	return n, nil
}

// ParseFactor reads a scale factor.
func ParseFactor(s string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f >= 0 && f <= 100) {
		return 0, fmt.Errorf("expected a number from 0 to 100")
	}
	return f, nil
}

// ParseDelay reads a cost delay, which unlike other times may be a fraction of its
// base unit, and -1.
func ParseDelay(s string, least time.Duration) (time.Duration, error) {
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
