package advise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"applysim/model/scenario"
)

// Goal is a figure that a combination has to reach.
type Goal struct {
	Text   string
	budget scenario.Budget
}

// goals are the figures of goals, and the budgets that they are.
var goals = [][2]string{
	{"rate", "min-rate"}, {"wal", "max-wal-per-change"}, {"cpu", "max-cpu-per-change"}, {"wal-rate", "max-wal-rate"},
	{"hot", "min-hot"}, {"load", "max-load"}, {"lag", "max-lag"}, {"catch-up", "max-catch-up"}, {"size", "max-size"},
}

// ParseGoal reads a goal such as "rate 5000/s", "wal 400B" or "cpu 30us" (both a change),
// "hot 90%" or "lag 5s".
func ParseGoal(text string) (Goal, error) {
	figure, value, found := strings.Cut(strings.TrimSpace(text), " ")
	if !found {
		figure, value, _ = strings.Cut(text, "=")
	}
	var names []string
	for _, g := range goals {
		names = append(names, g[0])
		if g[0] != figure {
			continue
		}
		b, err := scenario.ParseBudget(g[1], strings.TrimSpace(value))
		return Goal{Text: text, budget: b}, err
	}
	return Goal{}, fmt.Errorf("%q: expected a figure and its limit, such as \"rate 5000/s\"; the figures are %s", text, strings.Join(names, ", "))
}

// Combination is advice that was followed one after the other until the goals were met.
type Combination struct {
	Goals []string `json:"goals"`
	Met   bool     `json:"met"`
	Steps []*Taken `json:"steps"`
	// Before and After are the verdicts on the goals without and with all steps.
	Before []scenario.Verdict `json:"before"`
	After  []scenario.Verdict `json:"after"`
	Saves  Saves              `json:"saves"` // of all steps together
	DDL    string             `json:"ddl"`
	Result *scenario.Result   `json:"-"`
}

// Taken is a step of a combination.
type Taken struct {
	Title    string             `json:"title"`
	DDL      string             `json:"ddl"`
	Saves    Saves              `json:"saves"` // beside the steps before it
	Verdicts []scenario.Verdict `json:"goals"`
}

// excess is how far a run is from the goals, as shares of their limits; 0 if all are met.
func (a *adviser) excess(r *scenario.Result) (sum float64, verdicts []scenario.Verdict, err error) {
	const never = 1e6
	for _, g := range a.o.Goals {
		v, err := g.budget.Judge(r)
		if err != nil {
			return 0, nil, err
		}
		v.Budget = "goal " + g.Text
		verdicts = append(verdicts, v)
		switch {
		case v.OK:
		case v.Over == nil || v.Limit == 0 && *v.Over > 0:
			sum += never
		default:
			sum += min(*v.Over/v.Limit, never)
		}
	}
	return sum, verdicts, nil
}

// batch is how many candidates are tried at a time on top of what is taken. It does not
// depend on the machine, so that the combination does not either.
const batch = 4

// combine takes advice greedily: always what brings the run nearest to the goals. What
// each piece brought the last time says which are tried again first; as soon as one
// brings more than any other brought then, it is taken.
func (a *adviser) combine() error {
	c := &Combination{Steps: []*Taken{}}
	for _, g := range a.o.Goals {
		c.Goals = append(c.Goals, g.Text)
	}
	a.rep.Combination = c
	now := a.base
	left, verdicts, err := a.excess(now)
	if err != nil {
		return err
	}
	c.Before, c.After, c.Result = verdicts, verdicts, now
	// gain is what a candidate brings: of the way to the goals, and of WAL and CPU where
	// that is the same.
	type gain struct {
		c                 *candidate
		toGoal, otherwise float64
		result            *scenario.Result
	}
	order := func(x, y gain) int {
		return cmp.Or(cmp.Compare(y.toGoal, x.toGoal), cmp.Compare(y.otherwise, x.otherwise))
	}
	measure := func(c *candidate, r *scenario.Result) gain {
		e, _, _ := a.excess(r)
		s := saved(now, r)
		return gain{c, left - e, s.score(), r}
	}
	var open []gain
	for _, x := range a.rep.Advice {
		if !x.candidate.read {
			open = append(open, measure(x.candidate, x.Result))
		}
	}
	var taken []*candidate
	before := now              // the last step
	whole := a.screener == nil // now is a run of the whole workload
	fresh := len(open)         // the first round's figures are those of the runs that there were
	for left > 0 && len(open) > 0 {
		slices.SortStableFunc(open, order)
		if fresh == 0 {
			// Those that promise most first, until none of the others promises more.
			for done := 0; done < len(open); {
				n := min(done+batch, len(open))
				list := open[done:n]
				var candidates []*candidate
				for _, g := range list {
					candidates = append(candidates, g.c)
				}
				results, errs := a.try(taken, candidates)
				for i := range list {
					if errs[i] != nil || results[i].Stopped != nil {
						list[i].toGoal, list[i].otherwise, list[i].result = -1, -1, nil
						continue
					}
					list[i] = measure(list[i].c, results[i])
				}
				done = n
				best := slices.MinFunc(open[:done], order)
				if done < len(open) && best.toGoal > 0 && order(best, open[done]) <= 0 {
					break
				}
			}
			slices.SortStableFunc(open, func(x, y gain) int {
				if (x.result == nil) != (y.result == nil) {
					return map[bool]int{true: 1, false: -1}[x.result == nil]
				}
				return order(x, y)
			})
		}
		fresh = 0
		best := open[0]
		if best.result == nil || best.toGoal <= 0 {
			break
		}
		step := &Taken{Title: best.c.advice.Title, DDL: best.c.advice.DDL, Saves: saved(now, best.result)}
		before, now = now, best.result
		if left, step.Verdicts, err = a.excess(now); err != nil {
			return err
		}
		c.Steps = append(c.Steps, step)
		taken, whole = append(taken, best.c), a.screener == nil
		if left == 0 && a.screener != nil {
			// What was put together of parts is judged by a run of the whole.
			r, err := a.screener.whole(taken)
			if err != nil {
				return err
			}
			now, step.Saves, whole = r, saved(before, r), true
			if left, step.Verdicts, err = a.excess(now); err != nil {
				return err
			}
		}
		open = slices.DeleteFunc(open, func(g gain) bool { return g.c.excludes(best.c) })
		for i := range open {
			open[i].result = nil
		}
	}
	if !whole && len(taken) > 0 {
		r, err := a.screener.whole(taken)
		if err != nil {
			return err
		}
		last := c.Steps[len(c.Steps)-1]
		now, last.Saves = r, saved(before, r)
		if left, last.Verdicts, err = a.excess(now); err != nil {
			return err
		}
	}
	var ddl []string
	for _, s := range c.Steps {
		ddl = append(ddl, s.DDL)
		c.After = s.Verdicts
	}
	c.Met, c.Result, c.Saves, c.DDL = left == 0, now, saved(a.base, now), strings.Join(ddl, "\n")
	return nil
}
