package recorded

import "applysim/model/scenario"

// ByRelation counts the recorded WAL by relation and record type, as a scenario's report
// has it. Records of the marker, with a transaction of its own for each, and what belongs
// to no change are left out.
func (c *Case) ByRelation() (map[string]map[string]scenario.Count, error) {
	records, err := c.Records()
	if err != nil {
		return nil, err
	}
	toast := map[string]string{} // names of TOAST tables and their indexes have no object ids here
	for _, r := range c.Start.Relations {
		if r.ToastTable != "" {
			toast[r.ToastTable], toast[r.ToastTable+"_index"] = "pg_toast_"+r.Name, "pg_toast_"+r.Name+"_index"
		}
	}
	counts := map[string]map[string]scenario.Count{}
	markers := int64(0)
	var commit scenario.Count
	for _, r := range records {
		if name, ok := toast[r.Relation]; ok {
			r.Relation = name
		}
		switch {
		case r.Background():
			continue
		case r.Relation == "marker":
			markers++
			continue
		case r.Relation == "marker_pkey":
			continue
		}
		if counts[r.Relation] == nil {
			counts[r.Relation] = map[string]scenario.Count{}
		}
		n := counts[r.Relation][r.Manager+"/"+r.Type]
		n.Records++
		n.Bytes += int64(r.Length)
		n.FPIBytes += int64(r.FPI)
		counts[r.Relation][r.Manager+"/"+r.Type] = n
		if r.Type == "COMMIT" {
			commit = scenario.Count{Bytes: int64(r.Length)}
		}
	}
	n := counts["-"]["Transaction/COMMIT"]
	n.Records -= markers
	n.Bytes -= markers * commit.Bytes
	counts["-"]["Transaction/COMMIT"] = n
	return counts, nil
}
