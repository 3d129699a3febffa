package pgtype

import "testing"

func BenchmarkInput(b *testing.B) {
	for _, c := range []struct{ name, spec, text string }{
		{"int2", "smallint", "-123"},
		{"int4", "integer", "123456"},
		{"int8", "bigint", "1234567890123"},
		{"text", "text", "hello world, this is a text"},
		{"varchar", "character varying(40)", "hello world, this is a text"},
		{"timestamptz", "timestamp with time zone", "2026-08-03 00:00:00.0017+00"},
		{"timestamptz/halfhour", "timestamp with time zone", "2026-08-03 00:00:00.001712+05:30"},
		{"timestamp", "timestamp without time zone", "2026-08-03 12:34:56.001712"},
		{"date", "date", "2026-08-03"},
		{"bool", "boolean", "t"},
		{"uuid", "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"numeric", "numeric(12,2)", "12345.67"},
		{"numeric/plain", "numeric", "1234567890.123456789"},
		{"float8", "double precision", "3.141592653589793"},
		{"bpchar", "character(20)", "abc"},
		{"bytea", "bytea", `\xdeadbeefdeadbeefdeadbeef`},
		{"jsonb", "jsonb", `{"id": 1, "name": "x", "tags": ["p", "q"], "price": 12.5}`},
		{"json", "json", `{"id": 1, "name": "x", "tags": ["p", "q"], "price": 12.5}`},
		{"int4array", "integer[]", "{1,2,3,4,5}"},
		{"interval", "interval", "1 day 04:05:06.7"},
		{"inet", "inet", "192.168.1.5/24"},
	} {
		b.Run("type="+c.name, func(b *testing.B) {
			typ, typmod := resolve(b, c.spec)
			text := []byte(c.text)
			var scratch [1024]byte
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := typ.Input(text, typmod, scratch[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInputBits(b *testing.B) {
	for _, c := range []struct{ name, spec, text string }{
		{"int4", "integer", "123456"},
		{"int8", "bigint", "1234567890123"},
		{"timestamptz", "timestamp with time zone", "2026-08-03 00:00:00.0017+00"},
	} {
		b.Run("type="+c.name, func(b *testing.B) {
			typ, typmod := resolve(b, c.spec)
			text := []byte(c.text)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := typ.InputBits(text, typmod); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
