package decode

import "strings"

// quoteIdentifier quotes a name where SQL needs it (quote_identifier in ruleutils.c).
func quoteIdentifier(s string) string {
	safe := s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] == '_') && !quotedWords[s]
	for i := 0; safe && i < len(s); i++ {
		c := s[i]
		safe = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
	}
	if safe {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// quoteQualified quotes a table's name with its schema.
func quoteQualified(schema, name string) string {
	return quoteIdentifier(schema) + "." + quoteIdentifier(name)
}

// quotedWords are the key words that may not stand for a name as they are. Source:
// REL_18_1, src/include/parser/kwlist.h, all but the unreserved ones.
var quotedWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean
		both case cast char character check coalesce collate collation column concurrently constraint create
		cross current_catalog current_date current_role current_schema current_time current_timestamp
		current_user dec decimal default deferrable desc distinct do else end except exists extract false
		fetch float for foreign freeze from full grant greatest group grouping having ilike in initially
		inner inout int integer intersect interval into is isnull join json json_array json_arrayagg
		json_exists json_object json_objectagg json_query json_scalar json_serialize json_table json_value
		lateral leading least left like limit localtime localtimestamp merge_action national natural nchar
		none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
		placing position precision primary real references returning right row select session_user setof
		similar smallint some substring symmetric system_user table tablesample then time timestamp to
		trailing treat trim true union unique user using values varchar variadic verbose when where window
		with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
		xmlserialize xmltable`) {
		m[w] = true
	}
	return m
}()
