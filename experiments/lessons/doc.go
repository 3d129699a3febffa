// Package lessons holds small lessons about what a subscriber of logical replication
// does inside: each is one question, a small experiment on a simulated subscriber, and
// an answer that is computed when the lesson runs.
//
//	Lesson.Run --> lab (a publisher's statements as messages) --> apply.Worker
//	           --> Report: text, SQL, tables, figures, answers --> Text, Markdown, JSON
//
// No figure is typed in. Each sentence of an answer comes with the condition under which
// it is true ([Report.Answer]); a lesson whose answer does not hold ends in an error.
//
// They are written for people who know SQL and have not looked inside PostgreSQL: words
// of the trade are explained where they come up first.
//
// Reading order: lesson.go, lab.go, then the lessons: change.go, hot.go, index.go, wal.go.
package lessons
