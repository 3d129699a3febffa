// Package initialcopy works out what the initial synchronisation of a subscription takes:
// what each table's copy writes on the subscriber, with its indexes there before or built
// afterwards, how long it takes with one synchronisation worker or several, and what has to
// be caught up with.
//
//	scenario's rows --> apply.SynchronizeTable --> WAL, pages, work --> CPU
//	                                                                     |
//	                            workers, changes meanwhile ------> schedule
//
// WAL and pages are exact; those of an index that is built afterwards are the images of its
// pages (index.BTree.BuildWAL). Seconds are calibrated on counted instructions of COPY and
// of CREATE INDEX; see prices.go. What a copy waits for, a slow disk or network, is
// not known: it is as fast as the subscriber's worker, or the publisher if that is told.
//
// Reading order: copy.go (a table), prices.go, schedule.go, report.go.
package initialcopy
