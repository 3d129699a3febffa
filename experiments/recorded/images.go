package recorded

import "applysim/wal"

// Images is what a run has written of full-page images.
type Images struct {
	Relations   map[string]ImageCount `json:"relations"`
	RecordTypes map[string]ImageCount `json:"record_types"`
	// Checkpoints has what was written from each redo pointer to the next one. The
	// first row begins where the run does.
	Checkpoints []CheckpointImages `json:"checkpoints"`
}

// ImageCount counts images.
type ImageCount struct {
	Records  int64 `json:"count"` // that carry images
	FPIBytes int64 `json:"fpi_bytes"`
}

// CheckpointImages is what was written after a checkpoint.
type CheckpointImages struct {
	Redo    string `json:"redo"`
	Records int64  `json:"records"` // all records
	Bytes   int64  `json:"bytes"`
	ImageCount
}

// NewImages reports on the images of a run that began at LSN start.
func NewImages(log *wal.Log, start wal.LSN) *Images {
	r := &Images{Relations: map[string]ImageCount{}, RecordTypes: map[string]ImageCount{}, Checkpoints: []CheckpointImages{}}
	for rel := wal.NoRelation; int(rel) < log.Relations(); rel++ {
		for t := range wal.NumRecordTypes {
			typ := wal.RecordType(t)
			n := log.Imaged(rel, typ)
			if n == 0 {
				continue
			}
			bytes := log.Count(rel, typ).FPIBytes
			add := func(m map[string]ImageCount, key string) {
				c := m[key]
				m[key] = ImageCount{c.Records + n, c.FPIBytes + bytes}
			}
			add(r.Relations, log.Name(rel))
			add(r.RecordTypes, typ.String())
		}
	}
	marks := append([]wal.Mark{{Redo: start}}, log.Marks()...)
	for i, m := range marks {
		end, imaged := log.Total(), log.TotalImaged()
		if i+1 < len(marks) {
			end, imaged = marks[i+1].Total, marks[i+1].Imaged
		}
		r.Checkpoints = append(r.Checkpoints, CheckpointImages{
			Redo: m.Redo.String(), Records: end.Records - m.Total.Records, Bytes: end.Bytes - m.Total.Bytes,
			ImageCount: ImageCount{imaged - m.Imaged, end.FPIBytes - m.Total.FPIBytes},
		})
	}
	return r
}
