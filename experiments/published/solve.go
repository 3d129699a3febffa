package published

import (
	"fmt"

	"applysim/model/cost"
	"applysim/model/publisher"
)

// SolveApple makes the profile of the machine that the figures were measured on. The
// source gives few numbers, so its shape is that of base, a profile that was fitted:
//
//	text = r A + c B          A seconds by base without receiving, B bytes of the stream
//	four indexes = r A' + c B
//	full without an index = r A" + c B" + s I"    I thousand instructions of scans
//
// Solved are r, how fast the machine is beside base's; c, what receiving a byte takes
// (the load ran at the same time, so that the worker had to be woken up often); and
// s, the rate of scans. On the publisher's side the backends' time is that of the run
// without a consumer, and the latency that of the run with an index.
func SolveApple(base *cost.Profile) (*cost.Profile, error) {
	if base.Publisher == nil {
		return nil, fmt.Errorf("profile %s has no rates of a publisher", base.Name)
	}
	s, err := Simulate(DefaultOptions(), nil)
	if err != nil {
		return nil, err
	}
	model, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	sender, err := publisher.Model()
	if err != nil {
		return nil, err
	}
	number := func(scenario, name string) (float64, error) { return figureValue(scenario, name) }
	wanted := map[string]float64{}
	for _, k := range [][2]string{
		{"logical_text", "subscriber_cpu"}, {"text_four_indexes", "subscriber_cpu"}, {"full_no_index_run_a", "subscriber_cpu"},
		{"full_no_index_run_b", "subscriber_cpu"}, {"baseline", "publisher_cpu"}, {"full_index_run_a", "apply_time"}, {"full_index_run_b", "apply_time"},
	} {
		if wanted[k[0]+" "+k[1]], err = number(k[0], k[1]); err != nil {
			return nil, err
		}
	}
	const receive, scan = 6, int(cost.Scan)
	without := *base
	without.Rates = append([]cost.Rate{}, base.Rates...)
	without.Rates[receive].Value = 0
	noScan := without
	noScan.Rates = append([]cost.Rate{}, without.Rates...)
	noScan.Rates[scan].Value = 0
	bytesOf := func(r *RunCost) float64 {
		for _, i := range r.Usage.Items() {
			if i.Term == "receive a byte" {
				return i.Quantity
			}
		}
		return 0
	}
	a, b := without.Apply(model, s.Text.Usage).Seconds, bytesOf(s.Text)
	a4, b4 := without.Apply(model, s.Four.Usage).Seconds, bytesOf(s.Four)
	text, four := wanted["logical_text subscriber_cpu"], wanted["text_four_indexes subscriber_cpu"]
	// Two equations, two unknowns.
	det := float64(a*b4) - float64(a4*b)
	if det == 0 {
		return nil, fmt.Errorf("the text and the four-index run do not tell instructions and bytes apart")
	}
	r := (float64(text*b4) - float64(four*b)) / det
	c := (float64(a*four) - float64(a4*text)) / det
	if r <= 0 || c < 0 {
		return nil, fmt.Errorf("solving gives a speed of %v and %v s a byte", r, c)
	}
	p := &cost.Profile{
		Name: "apple-m1-pro", Machine: "Apple M1 Pro, 10 cores, 32 GB", Server: "PostgreSQL 18.1", Date: "2026-08-03",
		Note: fmt.Sprintf("solved from three published CPU times; its shape is that of %s: all rates but those for scans and receiving are %.3f times its own", base.Name, r),
	}
	fromTwo := "solved so that the published CPU of the text run (2.94 s) and of the run with four indexes (4.66 s) come out"
	for i, rate := range base.Rates {
		rate.Value, rate.Low, rate.High = round4(rate.Value*r), round4(rate.Low*r), round4(rate.High*r)
		rate.Kind, rate.From = cost.Solved, fromTwo+"; proportions of "+base.Name
		if i == receive {
			rate.Value = round4(c * 1e9)
			rate.Low, rate.High, rate.From = rate.Value, rate.Value, fromTwo
		}
		p.Rates = append(p.Rates, rate)
	}
	full := (wanted["full_no_index_run_a subscriber_cpu"] + wanted["full_no_index_run_b subscriber_cpu"]) / 2
	rest := noScan.Apply(model, s.FullSeq.Usage).Seconds*r + float64(c*bytesOf(s.FullSeq))
	only := without.Apply(model, s.FullSeq.Usage).Seconds - noScan.Apply(model, s.FullSeq.Usage).Seconds
	v := round4(base.Rates[scan].Value * (full - rest) / only)
	p.Rates[scan].Value, p.Rates[scan].Low, p.Rates[scan].High = v, v, v
	p.Rates[scan].From = "solved so that the published CPU of the FULL run without an index (mean of two: 4.245 s) comes out"
	p.Waiting = cost.Rate{Name: "waiting", Unit: "s/s", Kind: cost.Assumed, From: "none: what waiting takes is in receiving a byte, which the load made the worker do message by message"}
	p.Wakeup = base.Wakeup
	p.Wakeup.Kind, p.Wakeup.From = cost.Assumed, "that of "+base.Name
	p.WALWriter = base.WALWriter
	p.WALWriter.Kind, p.WALWriter.From = cost.Assumed, "that of "+base.Name

	q := *base.Publisher
	q.Statements = nil // nothing published tells them apart
	row := func(name string) cost.Rate { return cost.Rate{Name: name} }
	q.Backend = row("backend")
	q.Backend.Unit, q.Backend.Kind = "us/row", cost.Solved
	q.Backend.Value = round4(wanted["baseline publisher_cpu"] / publishedRows * 1e6)
	q.Backend.Low, q.Backend.High = q.Backend.Value, q.Backend.Value
	q.Backend.From = "solved so that the published CPU of the run without a consumer comes out"
	for _, x := range []*cost.Rate{&q.Sender, &q.Transaction} {
		x.Value, x.Low, x.High = round4(x.Value*r), round4(x.Low*r), round4(x.High*r)
		x.Kind, x.From = cost.Assumed, fmt.Sprintf("%.3f times that of %s, as on the subscriber's side", r, base.Name)
	}
	q.Send = row("send")
	q.Send.Unit, q.Send.Kind, q.Send.Value = "ns/byte", cost.Assumed, p.Rates[receive].Value
	q.Send.Low, q.Send.High, q.Send.From = q.Send.Value, q.Send.Value, "what receiving a byte takes"
	q.Cores = row("cores")
	q.Cores.Unit, q.Cores.Kind, q.Cores.Value, q.Cores.Low, q.Cores.High = "cores", cost.Assumed, 8, 8, 10
	q.Cores.From = "Apple M1 Pro: 8 performance cores of 10"
	p.Publisher = &q
	s.Profile = p
	for _, x := range []*RunCost{s.FullSeq, s.FullIdx} {
		x.price(p, model, sender)
	}
	noticed := float64((wanted["full_index_run_a apply_time"]+wanted["full_index_run_b apply_time"])/2) - max(s.FullIdx.CPU.Seconds, s.FullIdx.Sender)
	q.Latency = row("latency")
	q.Latency.Unit, q.Latency.Kind, q.Latency.Value = "ms", cost.Solved, round4(max(noticed, 0)*1e3)
	q.Latency.Low, q.Latency.High, q.Latency.From = q.Latency.Value, q.Latency.Value, "solved so that the published apply time of the FULL run with an index comes out"
	p.Publisher = &q
	return p, nil
}
