package guc

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"applysim/wal/storage"
)

// VacuumSettings are the settings that VACUUM goes by.
type VacuumSettings struct {
	WorkMem                       uint64  // work_mem, bytes: for index pages to recycle
	MaintenanceWorkMem            uint64  // maintenance_work_mem, bytes: for dead items
	MaxParallelMaintenanceWorkers int     // max_parallel_maintenance_workers
	MinParallelIndexScanSize      uint64  // min_parallel_index_scan_size, bytes
	FreezeMinAge                  uint32  // vacuum_freeze_min_age, transactions
	FreezeTableAge                uint32  // vacuum_freeze_table_age, transactions
	AutovacuumFreezeMaxAge        uint32  // autovacuum_freeze_max_age: bounds the other two
	MaxEagerFreezeFailureRate     float64 // vacuum_max_eager_freeze_failure_rate
	Truncate                      bool    // vacuum_truncate
	SynchronousCommit             bool    // synchronous_commit of the session that runs it
}

// defaultVacuum are those of a new PostgreSQL 18.
func defaultVacuum() VacuumSettings {
	return VacuumSettings{
		WorkMem: 4 << 20, MaintenanceWorkMem: 64 << 20, MaxParallelMaintenanceWorkers: 2, MinParallelIndexScanSize: 64 * storage.PageSize,
		FreezeMinAge: 50_000_000, FreezeTableAge: 150_000_000, AutovacuumFreezeMaxAge: 200_000_000,
		MaxEagerFreezeFailureRate: 0.03, Truncate: true,
	}
}

// vacuumNames are the names of the settings.
var vacuumNames = []string{
	"autovacuum_freeze_max_age", "maintenance_work_mem", "max_parallel_maintenance_workers", "min_parallel_index_scan_size",
	"vacuum_freeze_min_age", "vacuum_freeze_table_age", "vacuum_max_eager_freeze_failure_rate", "vacuum_truncate", "work_mem",
}

// OfVacuum says whether a setting is one of VacuumSettings.
func OfVacuum(name string) bool {
	for _, known := range vacuumNames {
		if strings.EqualFold(name, known) {
			return true
		}
	}
	return false
}

// set changes one of them; name is in lower case.
func (s *VacuumSettings) set(name, value string) (err error) {
	switch name {
	case "maintenance_work_mem":
		s.MaintenanceWorkMem, err = ParseSize(value, 1<<10, 64<<10, math.MaxInt32<<10)
	case "max_parallel_maintenance_workers":
		var n uint32
		n, err = parseCount(value, 0, 1024)
		s.MaxParallelMaintenanceWorkers = int(n)
	case "min_parallel_index_scan_size":
		s.MinParallelIndexScanSize, err = ParseSize(value, storage.PageSize, 0, math.MaxInt32/3*storage.PageSize)
	case "vacuum_freeze_min_age":
		s.FreezeMinAge, err = parseCount(value, 0, 1_000_000_000)
	case "vacuum_freeze_table_age":
		s.FreezeTableAge, err = parseCount(value, 0, 2_000_000_000)
	case "autovacuum_freeze_max_age":
		s.AutovacuumFreezeMaxAge, err = parseCount(value, 100_000, 2_000_000_000)
	case "vacuum_max_eager_freeze_failure_rate":
		s.MaxEagerFreezeFailureRate, err = strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(s.MaxEagerFreezeFailureRate >= 0 && s.MaxEagerFreezeFailureRate <= 1) {
			err = fmt.Errorf("expected a number from 0 to 1")
		}
	case "work_mem":
		s.WorkMem, err = ParseSize(value, 1<<10, 64<<10, math.MaxInt32<<10)
	case "vacuum_truncate":
		s.Truncate, err = ParseBool(value)
	}
	return err
}

// parseCount reads a number in a range.
func parseCount(s string, least, most uint32) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 32)
	if err != nil || uint32(n) < least || uint32(n) > most {
		return 0, fmt.Errorf("expected a number from %d to %d", least, most)
	}
	return uint32(n), nil
}
