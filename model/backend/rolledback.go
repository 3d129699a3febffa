package backend

func (r *Runner) rolledBack(d *dml) error { return rolledBackError(d.statement) }
