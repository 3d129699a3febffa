"""Writes expressions.txt: what record.py records."""
E = []
def add(*xs): E.extend(x.strip() for x in xs if x.strip())
nums = ["a", "b", "s", "n", "d", "f", "r", "2", "3000000000", "2.50"]
for i, x in enumerate(nums):
    for y in nums[i:]:
        if x[0].isdigit() and y[0].isdigit() and x == y: continue
        add(f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"{x} / {y}", f"{y} / {x}", f"{x} < {y}", f"{x} = {y}", f"{x} >= {y}")
        if not (set("fr") & {x, y}): add(f"{x} % {y}")
for x in nums[:7]:
    add(f"-{x}", f"abs({x})", f"+{x}", f"{x}::text", f"{x}::int", f"{x}::bigint", f"{x}::smallint", f"{x}::numeric", f"{x}::float8", f"{x}::real",
        f"{x}::numeric(6,1)", f"{x}::varchar(3)", f"{x} IN (1, 2, 42)", f"{x} IN (1, 2.5)", f"{x} BETWEEN 1 AND 42", f"{x} BETWEEN SYMMETRIC 42 AND 1",
        f"{x} IS NULL", f"{x} IS NOT DISTINCT FROM 42", f"{x} IS DISTINCT FROM NULL", f"coalesce({x}, 0)", f"nullif({x}, 42)", f"greatest({x}, 3)", f"least({x}, 2.5, 7)",
        f"{x} = ANY (ARRAY[1, 2, 42])", f"{x} <> ALL (ARRAY[1, NULL, 42])", f"{x} > ALL ('{{1,2}}')", f"round({x})", f"trunc({x})", f"ceil({x})", f"floor({x})", f"sign({x})", f"{x} || 'x'", f"to_jsonb({x})")
cols = "a b s n d f r t v c x bo dt ts tz tm iv u j js ia ta va e ip nm ch o p".split()
for x in cols:
    add(x, f"{x} IS NOT NULL", f"{x}::text", f"CASE WHEN id > 3 THEN {x} END", f"ARRAY[{x}]", f"coalesce({x}, {x})", f"{x} IS DISTINCT FROM {x}")
    if x != "js": add(f"{x} = {x}", f"{x} < {x}", f"nullif({x}, {x})", f"greatest({x}, NULL)", f"{x} IN ({x}, NULL)")
add(*"""
true
NULL
'abc'
1.0
1e3
-2147483648
-9223372036854775808
9223372036854775808
0x1F
1_000
E'a\\tb\\u00e9\\x41\\101'
$$dollar$$
B'101'
X'1F'
date '2024-01-15'
timestamp '2024-01-15 10:20:30.5'
timestamp(0) '2024-01-15 10:20:30.5'
timestamptz '2024-01-15 10:20:30+02'
interval '1 day'
interval '1 day 02:03:04'
interval '90 minutes'
interval '1.5 days'
interval '2' hour
interval '1-2' year to month
time '10:20'
numeric '1.50'
'1.50'::numeric(5,1)
'{1,2,3}'::int[]
'{}'::text[]
ARRAY[]::text[]
ARRAY['a', 'b']
ARRAY[1, 2.5]
ARRAY[[1, 2], [3, 4]]
ARRAY[1, NULL]::bigint[]
ARRAY['1', '2']::int[]
'{"a": 1}'::jsonb
'ok'::mood
'ok'::public.mood
'bad'::mood
CAST('5' AS integer)
CAST(a AS varchar(2))
'12'::int + 1
'5' + 3
'x' || 5
5 || 'x'
1 || 2
true AND NULL
NULL OR true
NOT NULL
bo AND a > 0
bo OR a > 0
NOT bo
bo IS TRUE
bo IS NOT TRUE
bo IS FALSE
bo IS NOT FALSE
bo IS UNKNOWN
bo IS NOT UNKNOWN
bo = (a > 3)
bo::int
bo::text
a::bool
bo || 'x'
(a > 1) = (b > 1)
a > 1 AND b > 1 OR s > 1
a = 1 OR a = 2 OR a = 3
a NOT IN (1, 2, 3)
a IN (id, 5)
a NOT IN (1, NULL)
t IN ('42', 'foo@bar.com')
v IN ('42', 'abc')
c IN ('42', 'aaa')
e IN ('ok', 'sad')
e = 'ok'
e > 'sad'
e::text = 'ok'
dt IN ('2024-02-29', '2000-01-01')
u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
ip = '10.0.0.1'
ip < '10.0.0.5'
x = '\\x61'
a = '42'
n = '42'
f = '1.5'
a + '1'
a BETWEEN '1' AND '42'
a NOT BETWEEN 1 AND 10
t BETWEEN 'A' AND 'a'
t = v
t = c
v = c
c = '42'
c = '42   '
c::text = '42'
t < 'a'
t > 'Z'
v >= 'a'
c < 'b'
nm = t
nm < 'b'
nm || 'x'
ch = 'x'
o = 42
o > a
o::bigint
a = b
a < f
n > f
d = r
s = n
dt < ts
dt = tz
ts < tz
ts = dt
dt > '2020-01-01'
dt >= '2020-01-01'::date
ts >= '2020-01-01'
tz >= '2020-01-01 00:00:00+00'
tm > '10:00'
iv > '1 day'
iv = '42 seconds'
lower(t)
upper(t)
initcap(t)
lower(v)
upper(c)
lower(t) = 'hello world'
lower((v)::text)
length(t)
length(v)
length(c)
length(x)
char_length(t)
character_length(c)
octet_length(t)
octet_length(c)
octet_length(x)
bit_length(t)
left(t, 3)
left(t, -3)
left(t, 0)
right(t, 3)
right(t, -3)
left(c, 3)
"left"(t, 3)
substring(t, 2)
substring(t, 2, 3)
substring(t, -1, 3)
substring(t, 0)
substr(t, 3, 2)
substr(t, 2, -1)
substring(t FROM 2 FOR 3)
substring(t FROM 3)
substring(t FOR 4)
substring(t FROM '[a-z]+')
substring(t FROM '([A-Z])[a-z]')
substring(t FROM '@(.*)$')
"substring"(t, 2, 3)
substring(x, 2, 1)
trim(t)
trim(both from t)
trim(leading ' ' from t)
trim(trailing 'mc' from t)
trim('xy' from t)
btrim(t)
btrim(t, 'Hd')
ltrim(t)
rtrim(t)
rtrim(t, 'dlm')
ltrim(v, 'aX')
replace(t, 'o', '00')
replace(t, '', 'x')
concat(t, '-', a, bo, d)
concat(a, b)
concat(NULL, t)
concat_ws(',', t, a, NULL, bo)
concat_ws(NULL, t)
md5(t)
md5(x)
reverse(t)
repeat(v, 3)
repeat(v, -1)
lpad(t, 5)
lpad(t, 20, 'xy')
rpad(t, 5)
rpad(v, 10, 'äb')
lpad(a::text, 5, '0')
split_part(t, ' ', 1)
split_part(t, ' ', 2)
split_part(t, 'o', -1)
split_part(v, '-', 2)
split_part(t, '', 1)
split_part(t, 'x', 0)
position('o' in t)
position('ö' in t)
strpos(t, 'l')
strpos(t, '')
starts_with(t, 'foo')
t ^@ 'foo'
ascii(t)
ascii('é')
chr(a)
chr(233)
translate(t, 'abc', 'xy')
overlay(t placing 'XX' from 2)
overlay(t placing 'XX' from 2 for 4)
encode(x, 'hex')
encode(x, 'base64')
encode(x, 'escape')
decode('ff00', 'hex')
decode('YWJj', 'base64')
sha256(x)
to_hex(a)
to_hex(b)
t || v
t || c
c || t
c || c
v || v
v || a
t || n
t || dt
t || bo
t || u
t || NULL
x || x
x || '\\x00'
t LIKE '%o%'
t LIKE 'H_llo%'
t LIKE '%ö%'
t LIKE '_'
t LIKE ''
t NOT LIKE '%o%'
t LIKE '%'
t ILIKE 'HELLO%'
t ILIKE '%Ö%'
t NOT ILIKE '%O%'
v LIKE 'a\\_b%'
v LIKE 'a!_b!%c%' ESCAPE '!'
v LIKE '%\\\\d'
c LIKE 'aaa'
c LIKE 'aaa%'
t ~~ 'foo%'
t !~~ 'foo%'
t ~~* 'FOO%'
v LIKE 'abc\\'
nm LIKE 'n%'
t ~ '^[A-Z]'
t ~ 'o'
t ~* 'HELLO'
t !~ '[0-9]'
t !~* 'hello'
t ~ '^\\d+$'
t ~ '^[^@]+@[^@]+\\.[a-z]{2,}$'
t ~ '(foo|bar)'
t ~ '\\s'
t ~ '[[:alpha:]]+'
t ~ '.'
t ~ '^.*$'
t ~ 'line1.line2'
v ~ '^[A-Za-z]-\\d{2}-'
v ~* '^x'
c ~ '^a+$'
c ~ 'x$'
t ~ '\\w+\\s\\w+'
t ~* '[A-C]'
t ~ '(a)\\1'
t ~ '(?=x)'
t SIMILAR TO '%(o|x)%'
t SIMILAR TO 'foo@bar.com'
t SIMILAR TO '[0-9]+'
v SIMILAR TO 'a{3}'
t NOT SIMILAR TO '%o%'
regexp_replace(t, 'o', '0')
regexp_replace(t, '[aeiou]', '', 'g')
regexp_replace(t, '(\\w)(\\w)', '\\2\\1')
regexp_replace(t, '[^0-9]', '', 'g')
regexp_replace(t, 'O', 'x', 'gi')
CASE a WHEN 5 THEN 'five' WHEN 42 THEN 'forty-two' ELSE 'other' END
CASE WHEN a > 0 THEN a ELSE b END
CASE WHEN a > 0 THEN 'pos' WHEN a < 0 THEN 'neg' END
CASE WHEN a <> 0 THEN 1 / a ELSE 0 END
CASE WHEN bo THEN 1 ELSE 2.5 END
CASE WHEN bo THEN v ELSE t END
CASE t WHEN '42' THEN dt END
coalesce(t, v, 'none')
coalesce(a, b, 0)
coalesce(n, 0.0)
coalesce(dt, '2000-01-01')
coalesce(NULL, NULL)
coalesce(v, 'x')
coalesce(j, '{}')
coalesce(ia, '{}')
nullif(t, '')
nullif(a, b)
nullif(v, 'abc')
greatest(a, b, s)
least(a, b, s)
greatest(t, v)
least(dt, '2020-01-01')
greatest(n, f)
a = ANY (ia)
a = ANY ('{1,5,42}')
a <> ALL (ia)
b = ANY (ia)
t = ANY (ta)
t = ANY (ARRAY['42', 'foo@bar.com'])
v = ANY (ARRAY['abc'::varchar, '42'::varchar])
((v)::text = ANY ((ARRAY['abc'::character varying, '42'::character varying])::text[]))
t LIKE ANY (ARRAY['foo%', '4%'])
e = ANY (ARRAY['ok'::mood, 'sad'::mood])
5 = ANY (ia)
'a' = ANY (ta)
'foo' = ANY (va)
ia[1]
ia[0]
ia[a]
ta[2]
ia[2] + 1
va[1]
(j -> 'k') -> 0
array_length(ia, 1)
array_length(ia, 2)
array_upper(ia, 1)
array_lower(ia, 1)
array_ndims(ia)
cardinality(ia)
cardinality(ta)
array_position(ta, 'foo')
array_position(ia, 3)
array_append(ia, 9)
array_prepend(9, ia)
array_remove(ta, 'foo')
array_cat(ia, ia)
ia || 4
4 || ia
ia || ia
ta || 'x'
ta || ARRAY['q']
ia || '{8,9}'
ia && ARRAY[1, 42]
ia @> ARRAY[1]
ia @> '{}'
ia <@ ARRAY[1, 2, 3, 4, 5, 42]
ta @> ARRAY['foo']
ta && '{foo,x}'
ia = '{1,2,3}'
ia < '{2}'
ta = '{c}'
va = '{c,d,e}'
va::text[]
ia::text[]
ia::bigint[]
ta::varchar(2)[]
array_to_string(ia, ',')
array_to_string(ta, ',', '*')
string_to_array(t, ' ')
string_to_array(v, '-')
j -> 'a'
j -> 'b'
j -> 'missing'
j ->> 'a'
j ->> 'n'
j ->> 's'
j ->> 't'
j ->> 'num'
j -> 0
j -> 1
j -> -1
j ->> 1
j ->> 3
j ->> 2
j #> '{b,c}'
j #> '{b,c,0}'
j #>> '{b,c,2,d}'
j #>> '{a,b,c}'
j #> '{}'
j #>> '{k,-1,0}'
j ? 'a'
j ? 'two'
j ? 'scalar'
j ?| ARRAY['a', 'zz']
j ?& ARRAY['a', 'b']
j @> '{"a": 1}'
j @> '{"tags": ["x"]}'
j @> '[1]'
j @> '1'
j @> '[[1]]'
j @> '"scalar"'
j @> '{}'
j @> '{"b": {"c": [2]}}'
j <@ '{"a": 1}'
j = '{}'
j > '1'
(j ->> 'a')::text = '1'
((j ->> 'n')::numeric)
(j ->> 'a') = '5'
((j -> 'tags') ->> 0)
jsonb_typeof(j)
jsonb_typeof(j -> 'a')
jsonb_array_length(j)
jsonb_array_length(j -> 'tags')
jsonb_extract_path(j, 'b', 'c')
jsonb_extract_path_text(j, 'a', 'b')
(j -> 'a')::int
(j -> 't')::boolean
(j -> 'n')::numeric
j::int
j || '{"new": 1}'
j || '[9]'
j - 'a'
j - 0
jsonb_build_object('a', a, 't', t)
jsonb_build_array(a, t, bo, n)
js -> 'a'
js -> 'b'
js ->> 'a'
js ->> 's'
js -> 1
js ->> -1
js #> '{b,c}'
js #>> '{x,y}'
js #>> '{a,b,c}'
json_array_length(js)
json_typeof(js)
js::jsonb
j::json
j::text
power(a, 2)
power(n, 2)
power(d, 3)
power(f, 2)
a ^ 2
n ^ 2
d ^ -1
2 ^ s
2.0 ^ a
sqrt(n)
sqrt(d)
sqrt(f)
sqrt(a)
round(n, 2)
round(d, 1)
round(d, -1)
round(f)
round(f::numeric, 2)
trunc(n, 1)
trunc(d, -1)
ceil(d)
ceiling(n)
floor(d)
floor(f)
mod(a, 3)
mod(b, 7)
mod(d, 3)
mod(n, 0.7)
a % 2 = 0
b % 2
a / 0
d / 0
f / 0
a & 3
a | 8
a # 5
~a
a << 2
a >> 1
abs(a)
abs(d)
@ a
sign(d)
div(d, 3)
gcd(a, 4)
scale(n)
a::numeric / 3
1.0 / 3
2 / 3
7.0 / 2.00
d * 1.10
d / 3
n * n
date_trunc('day', ts)
date_trunc('hour', ts)
date_trunc('month', tz)
date_trunc('week', ts)
date_trunc('quarter', ts)
date_trunc('year', dt)
date_trunc('decade', ts)
date_trunc('century', ts)
date_trunc('millennium', ts)
date_trunc('milliseconds', ts)
date_trunc('minute', tz)
date_trunc('nonsense', ts)
date_trunc('day', tz, 'Europe/Berlin')
extract(year from dt)
extract(month from ts)
extract(day from tz)
extract(hour from ts)
extract(minute from ts)
extract(second from ts)
extract(milliseconds from ts)
extract(microseconds from ts)
extract(dow from dt)
extract(isodow from dt)
extract(doy from ts)
extract(week from ts)
extract(isoyear from ts)
extract(quarter from ts)
extract(decade from ts)
extract(century from ts)
extract(millennium from ts)
extract(epoch from ts)
extract(epoch from tz)
extract(epoch from dt)
extract(epoch from iv)
extract(year from iv)
extract(month from iv)
extract(day from iv)
extract(hour from iv)
extract(second from iv)
extract(hour from tm)
extract(second from tm)
extract(epoch from tm)
extract(timezone from tz)
extract(hour from dt)
extract(julian from ts)
extract(nonsense from ts)
EXTRACT(YEAR FROM ts)
date_part('year', dt)
date_part('epoch', ts)
date_part('epoch', tz)
date_part('second', ts)
date_part('hour', tm)
date_part('epoch', iv)
date_part('milliseconds', ts)
ts + interval '1 month'
ts - interval '1 day'
ts + iv
tz + iv
tz - iv
dt + iv
dt - iv
dt + 7
dt - 7
7 + dt
dt - date '2020-01-01'
ts - timestamp '2020-01-01'
tz - timestamptz '2020-01-01+00'
dt + tm
iv + iv
iv - interval '1 hour'
iv * 2
iv * 1.5
2 * iv
iv / 3
-iv
tm + iv
tm - iv
tm - time '01:00'
age(ts, timestamp '2000-01-15')
age(tz, timestamptz '2024-03-31 12:00+00')
ts AT TIME ZONE 'UTC'
tz AT TIME ZONE 'UTC'
tz AT TIME ZONE 'Europe/Berlin'
ts AT TIME ZONE 'Europe/Berlin'
ts AT TIME ZONE 'America/New_York'
tz AT TIME ZONE '+03'
tz AT TIME ZONE '-05:30'
tz AT TIME ZONE INTERVAL '+03:00'
timezone('UTC', ts)
(tz AT TIME ZONE 'UTC')::date
(ts AT TIME ZONE 'Europe/Berlin')::date
date_trunc('day', tz AT TIME ZONE 'UTC')
ts::date
tz::date
ts::time
ts::timestamptz
tz::timestamp
dt::timestamp
dt::timestamptz
ts::timestamp(0)
tz::timestamptz(3)
tm::time(1)
tm::interval
iv::time
iv::interval(0)
dt::text
t::date
v::date
v::int
v::numeric
c::numeric
c::int[]
v::bool
t::varchar(5)
t::char(5)
v::char(5)
t::bytea
t::name
nm::text
ch::text
a::char(3)
a::oid
make_date(2024, 1, a)
make_date(2024, 2, 29)
make_timestamp(2024, 1, 15, 10, 20, 30.5)
make_interval(days => 10)
to_timestamp(a)
to_timestamp(f)
isfinite(ts)
isfinite(dt)
to_char(ts, 'YYYY-MM-DD')
to_char(ts, 'YYYY-MM-DD HH24:MI:SS')
to_char(dt, 'YYYYMM')
to_char(a, '999')
t COLLATE "C" < 'b'
lower(t COLLATE "C")
"Q c" || 'x'
t.a + 1
public.t.a
p + 1
p = 5
p::text
host(ip)
masklen(ip)
family(ip)
ip::text
ip <<= '10.0.0.0/8'
ip << '10.0.0.0/8'
uuid_extract_version(u)
hashtext(t)
a = t
a + t
nosuch
nosuch(a)
lower(a)
bo + 1
a AND bo
CASE WHEN a THEN 1 END
coalesce(a, t)
ARRAY[a, t]
'x'::int
'2024-13-01'::date
'1e400'::float8
99999999999999999999::bigint
100000::smallint
'abc'::varchar(2)
'abc '::char(2)
'99.995'::numeric(4,2)
a::posint
int4range(1, 10) @> a
format('%s-%s', a, t)
ROW(a, b)
(a, b) = (1, 2)
a OPERATOR(pg_catalog.+) 1
a IS NULL = bo
NOT a = 1
- a ^ 2
-2 ^ 2
2 + 3 * 4 % 5
a = 1 = bo
""".replace("\\\\","\\\\").split("\n"))
add(*r'''
j || '{"a": {"z": 1}, "b": 2}'
'{"x": 1}'::jsonb || j
j || j
j - 'two'
j - '{a,b}'::text[]
j - 1
j - (-1)
jsonb_build_object('k', j, 'd', dt, 'ts', ts, 'tz', tz, 'u', u, 'ia', ia, 'e', e)
jsonb_build_object(t, a)
jsonb_build_object()
jsonb_build_array()
to_jsonb(t)
to_jsonb(ts)
to_jsonb(tz)
to_jsonb(dt)
to_jsonb(ta)
to_jsonb(bo)
to_jsonb(j)
power(a, 3)
power(s, -2)
power(f, 0.5)
power(r, 2)
a ^ 0.5
2 ^ 0.3
iv / 2.5
iv * 0.1
ts + iv * 2
nm LIKE '%m%'
nm ~~ 'name1'
ip <<= '10.0.0.0/8'
ip >> '10.0.0.1'
ip >>= '10.0.0.1'
ip && '10.0.0.0/24'
ip > '10.0.0.0/8'
to_char(ts, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
to_char(ts, 'Mon DD, YYYY HH12:MI AM')
to_char(ts, 'Day Month MONTH mon dy DY')
to_char(tz, 'IYYY-IW-ID Q DDD D YY US')
to_char(dt, 'DD.MM.YYYY')
to_char(dt, 'YYYY/Q')
to_char(ts, 'FMDD')
to_char(iv, 'HH24')
to_char(dt, 'YYYY_MM')
to_char(ts, 'YYYYMMDDHH24MISS')
concat_ws('-', u, ip, e, x)
concat(ts, dt, iv, f, r)
regexp_replace(t, ' ', '_', 'g')
regexp_replace(v, '-.*-', '+')
regexp_replace(t, '[[:space:]]', '', 'g')
regexp_replace(t, '(foo|x)', '[\1]')
regexp_replace(t, 'o', '\&\&')
substring(v from '(\d+)')
substring(t, '[a-z]+@')
t ~ '^(?i)hello'
t ~ '(?i)hello'
t ~* '^[h-j]'
t ~ '^\s*$'
t ~ 'q"'
v ~ '\\'
v ~ '[\\]'
t ~ '[^a-z ]'
t ~ '\mfoo'
t ~ 'a{2,3}'
c ~ 'a{3}'
t LIKE '%\%'
v LIKE '%\_%'
t LIKE '__%'
t LIKE '%é%' OR t ILIKE '%É%'
t LIKE 'H%d'
t LIKE '%o%o%'
t LIKE '%W_rld'
'' LIKE '%'
'abc' LIKE 'abc\'
'a' LIKE '\'
t COLLATE "POSIX" > 'a'
t COLLATE "en_US" > 'a'
(t || v) COLLATE "C" = 'x'
length(t || v)
upper(left(t, 1)) || lower(substr(t, 2))
coalesce(nullif(trim(t), ''), 'empty')
(a + b) / 2
(a::numeric / nullif(s, 0))::numeric(10,2)
round((d * 1.19)::numeric, 2)
d * 100 / 3
(d * 100)::int
d::int
f::int % 7
(b % 16)::int
abs(b) % 10
-a % 3
a / -2
'{1,2}'::int[] || a
array_length(string_to_array(t, ' '), 1)
(string_to_array(t, ' '))[1]
(ARRAY['x', 'y'])[2]
('{10,20}'::int[])[1] + a
ia[1:2]
ta[1] || '!'
j -> 'tags' ? 'x'
j -> 'tags' @> '["y"]'
(j ->> 'a') IS NOT NULL
(j -> 'b' -> 'c' ->> 0)::int
coalesce((j ->> 'n')::numeric, 0)
(j #>> '{b,c,1}')::int
jsonb_typeof(j) = 'object'
j['a']
j ->> 'e'
((j ->> 'e'))::date
(js ->> 'a') || 'x'
dt BETWEEN '2000-01-01' AND '2024-12-31'
ts::date = dt
tz AT TIME ZONE 'utc'
tz AT TIME ZONE 'Asia/Kolkata'
tz AT TIME ZONE 'EST'
ts AT TIME ZONE 'Australia/Sydney'
extract(year from ts)::int
(extract(year from dt) * 100 + extract(month from dt))::int
date_trunc('day', dt)
date_trunc('month', ts)::date
date_trunc('day', iv)
age(dt)
ts - dt
dt - ts
tz - ts
ts < tz + interval '1 day'
interval '1 day' * a
interval '1 hour' > interval '59 minutes'
e >= 'ok'
e || 'x'
e <> ALL (ARRAY['ok'::mood])
CASE e WHEN 'ok' THEN 1 WHEN 'sad' THEN 2 ELSE 3 END
CASE WHEN e = 'ok' THEN 'A' ELSE e::text END
bo IS NOT DISTINCT FROM true
bo <> true
bo > false
NOT (bo AND a > 1)
(a IS NULL) OR (a > 1 AND b IS NOT NULL)
a IS NULL AND b IS NULL
a > 1 IS TRUE
a = 1 IS NULL
a::text LIKE '4%'
a::text || '-' || b::text
(a)::double precision / 3
r + 0.1
f::text
r::text
f::numeric::text
f = 0.1
r = 0.1
r = 0.1::real
n = 1.5
n::text = '1.50'
b::float8
b::real
n::real
d::float8
id::smallint + 32767
a * a
b * 2
b + a
s * s
s + s
s - 1::smallint
s / 0::smallint
o = '5'
o IN (5, 7)
ch || 'x'
ch::text || nm::text
nm || nm
c LIKE '42%'
c || 'x' = '42x'
length(c::text)
x = '\x3432'
encode(sha256(t::bytea), 'hex')
md5(coalesce(t, '') || coalesce(v, ''))
u::text
lower(u::text)
left(u::text, 8)
uuid_extract_timestamp(u)
('x' || lpad(to_hex(a), 8, '0'))::text
lpad(id::text, 6, '0')
format('%s', t)
greatest(ts, dt)
least(t, 'm')
greatest(u, u)
num_nulls(a, b, t)
num_nonnulls(a, b, t)
least(c, 'b')
coalesce(c, 'x')
nullif(c, '42')
c IN ('42', 'pad     ')
v IN ('42')
a IN (5)
b IN (7, 42, 9223372036854775807)
f IN (1.5, 42)
r IN (2.25, 0.1)
s IN (2, 42)
s = 2::bigint
n IN (42, 1.5)
dt IN (date '2000-01-01', '2024-02-29')
ip IN ('10.0.0.1', '::1')
bo IN (true)
t NOT IN ('', '42')
t = ANY ('{42,foo@bar.com}')
t = ANY ('{42,foo@bar.com}'::text[])
v = ANY ('{abc,42}'::text[])
c = ANY ('{42,aaa}'::bpchar[])
a = ANY (ARRAY[5, 42]::bigint[])
e = ANY ('{ok,sad}'::mood[])
'2' = ANY (ia)
a < ANY (ia)
isempty(int4range(a, a))
isempty('[1,1)'::int4range)
isempty('[1,3)'::int4range)
upper_inf('[1,)'::int4range)
upper_inf('[1,5)'::int8range)
upper_inf('empty'::int4range)
lower_inf('(,5)'::numrange)
lower_inf('[2.5,5)'::numrange)
lower_inf('empty'::numrange)
lower_inc('(1,3]'::int4range)
lower_inc('(1.5,3]'::numrange)
lower_inc('empty'::numrange)
upper_inc('(1.5,3]'::numrange)
upper_inc('[2024-01-01,2024-02-01]'::daterange)
upper_inc('[2024-01-01,2024-02-01]'::tsrange)
upper_inc('[2024-01-01 00:00:00+00,)'::tstzrange)
'''.split("\n"))
seen, out = set(), []
for e in E:
    if e and e not in seen:
        seen.add(e); out.append(e)
open("expressions.txt", "w").write("\n".join(out) + "\n")
print(len(out))
