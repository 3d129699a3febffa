// Package published reproduces the published figures that the project is judged
// by: it generates the published insert workload, applies it to a simulated
// subscriber and puts published and simulated figures side by side.
//
//	figures.csv, runs.csv    what the source published
//	recorded.csv             the same tables on a real server, ids in order
//	workload.Generator  ---> apply.Worker ---> bytes of WAL by relation
//
// The published runs had eight clients. How far their transactions overlapped
// is not published, but how busy the publisher was is: its CPU seconds over the
// seconds of the workload are the number of backends that ran at a time, about
// three ([Overlap]). So many clients interleave in the simulated runs that are
// judged; ids in order and all eight at once are shown beside them, since the
// overlap matters most for an index whose second column ascends.
//
// What else is assumed: package workload says how clients take turns, and its
// Schema which four indexes they are, which the source does not name. They were
// chosen because what a real server writes for them is near what was published,
// so that figure's kind is Solved.
//
// Reading order: csv.go, runs.go, report.go.
package published
