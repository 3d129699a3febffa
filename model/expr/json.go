package expr

func (c *compiler) jsonbSubscript(l, r *node) *node {
	unsupported("jsonb subscript")
	return nil
}
