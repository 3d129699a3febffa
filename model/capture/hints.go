package capture

import (
	"applysim/model/schema"
)

// Hint is what a schema tells of a table, and no text does.
type Hint struct {
	// Identity is pg_class.relreplident.
	Identity byte
	// Keys are the columns of the replica identity.
	Keys []string
	// Generated are the columns that pgoutput does not send; the texts have them.
	Generated []string
}

// Hints looks tables up in a schema: the publisher's, or the subscriber's, whose replica
// identity is then taken to be the publisher's, too.
func Hints(db *schema.Database) func(schema, table string) *Hint {
	return func(namespace, name string) *Hint {
		t := db.Table(namespace, name)
		if t == nil {
			return nil
		}
		h := &Hint{Identity: t.ReplicaIdentity}
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Generated != 0 && !c.Dropped {
				h.Generated = append(h.Generated, c.Name)
			}
		}
		x := t.PrimaryKey()
		for _, o := range t.Indexes {
			if t.ReplicaIdentity == 'i' && o.ReplicaIdentity {
				x = o
			}
		}
		if x == nil || t.ReplicaIdentity == 'n' || t.ReplicaIdentity == 'f' {
			return h
		}
		for _, k := range x.Keys {
			if k.Column >= 0 {
				h.Keys = append(h.Keys, t.Columns[k.Column].Name)
			}
		}
		return h
	}
}
