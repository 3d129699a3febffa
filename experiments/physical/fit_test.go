package physical

import (
	"testing"

	"applysim/model/cost"
)

func TestFitPrint(t *testing.T) {
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fit(cases(t), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", *r)
	for _, c := range cases(t) {
		s := &c.Shipped
		w, back := s.Physical[">dw"], s.Physical["<dr"]
		n := float64(w.Messages + back.Messages)
		t.Logf("%-22s sender %.3f/%.3f receiver %.3f/%.3f startup %.3f/%.3f", c.Name, s.CPU["physical walsender"], r.Slower*(r.SendWake*n+r.SendByte*float64(w.Bytes)), s.CPU["walreceiver"], r.Slower*(r.ReceiveWake*n+r.ReceiveByte*float64(w.Bytes)),
			s.CPU["startup"], r.Slower*(r.ReplayWake*float64(w.Messages)+r.ReplayRecord*float64(s.records())))
	}
}
