// Package slots models what replication slots keep on a publisher: which WAL segments
// stay, what pg_replication_slots shows of it, and when a slot is given up.
//
//	WAL written ---> Server ----Checkpoint----> segments removed, slots invalidated
//	                   |
//	    confirmations -+-> Slot: restart_lsn, confirmed_flush_lsn, catalog_xmin
//
// Rules, from the sources of PostgreSQL 18 (REL_18_1):
//
//	what is kept            KeepLogSeg (xlog.c): the oldest slot's restart_lsn, at most
//	                        max_slot_wal_keep_size of it, at least wal_keep_size
//	when files go           only at the end of a checkpoint (CreateCheckPoint,
//	                        RemoveOldXlogFiles), segments before the redo pointer's
//	wal_status              GetWALAvailability (xlog.c), pg_get_replication_slots
//	                        (slotfuncs.c); safe_wal_size likewise
//	invalidation            InvalidateObsoleteReplicationSlots (slot.c), at the same
//	                        moment: wal_removed before idle_timeout
//	restart_lsn             moves when a running-xacts record was decoded and everything
//	                        up to it confirmed: SnapBuildProcessRunningXacts (snapbuild.c),
//	                        LogicalIncreaseRestartDecodingForSlot and
//	                        LogicalConfirmReceivedLocation (logical.c)
//	checkpoints by WAL      CalculateCheckpointSegments, XLogCheckpointNeeded (xlog.c)
//	segments kept ahead     XLOGfileslop, RemoveXlogFile (xlog.c)
//
// Left out: synchronized slots of standbys, WAL summarization, archiving that lags
// behind, slots of a two-phase subscription.
//
// Reading order: settings.go, slot.go, server.go.
package slots
