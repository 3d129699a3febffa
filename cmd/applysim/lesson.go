package main

import (
	"fmt"

	"applysim/experiments/lessons"
	"applysim/experiments/table"
)

var lessonHelp = help{
	usage: "applysim lesson (NAME | --list) [FLAGS]",
	text: `
Small lessons about what a subscriber does inside, for people who know SQL: each
is one question, an experiment on a simulated subscriber and an answer, which is
computed when the lesson runs. Exit code 1 if an answer does not hold.`,
	example: `  $ applysim lesson --list
  $ applysim lesson hot
`,
}

var lessonFormats = []string{"text", "markdown", "json"}

// lesson runs a lesson.
func lesson(env environment, args []string) error {
	f := newFlags("lesson")
	list := f.Bool("list", false, "list the lessons")
	format := formatFlag(f, lessonFormats...)
	if helped, err := parse(env, f, args, lessonHelp); helped || err != nil {
		return err
	}
	if err := checkFormat(f, *format, lessonFormats...); err != nil {
		return err
	}
	switch {
	case *list && f.NArg() > 0:
		return hint(f, "--list lists all lessons: expected it without %q", f.Arg(0))
	case *list:
		return listLessons(env, *format)
	case f.NArg() != 1:
		return hint(f, "expected the name of a lesson, or --list")
	}
	l, err := lessons.Find(f.Arg(0))
	if err != nil {
		return err
	}
	r, failed := l.Run()
	if r == nil {
		return failed
	}
	switch *format {
	case "json":
		err = printJSON(env.stdout, r)
	case "markdown":
		err = r.Markdown(env.stdout)
	default:
		err = r.Text(env.stdout)
	}
	if err == nil && failed != nil {
		fmt.Fprintf(env.stderr, "applysim: %v\n", failed)
		err = errNo
	}
	return err
}

// listLessons lists the lessons.
func listLessons(env environment, format string) error {
	t := &table.Table{Columns: []table.Column{{Name: "lesson"}, {Name: "question"}}}
	type line struct {
		Name     string `json:"name"`
		Question string `json:"question"`
	}
	var all []line
	for _, l := range lessons.Lessons() {
		t.Add(l.Name, l.Question)
		all = append(all, line{l.Name, l.Question})
	}
	switch format {
	case "json":
		return printJSON(env.stdout, all)
	case "markdown":
		return t.Markdown(env.stdout)
	}
	return t.Text(env.stdout)
}
