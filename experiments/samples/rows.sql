INSERT INTO customers (email, name, country, phone)
  SELECT 'customer' || i || '@example.org', 'Name ' || md5(i::text), (ARRAY['DE','DE','DE','AT','CH'])[1 + i % 5], CASE WHEN i % 4 = 0 THEN '+49 30 ' || i END
  FROM generate_series(1, 20000) i;
INSERT INTO products SELECT i, 'Product ' || md5(i::text), ARRAY['tag' || i % 50, 'kind' || i % 7, 'maker' || i % 200], 1 + i % 500, i % 100
  FROM generate_series(1, 5000) i;
INSERT INTO orders (customer_id, state, total, note, created_at)
  SELECT 1 + (i * 7919) % 20000, (ARRAY['new','paid','sent','done','done','done','done','done','done','done'])[1 + i % 10]::order_state, 10 + i % 1000,
    CASE WHEN i % 5 = 0 THEN repeat('x', i % 80) END, now() - (60000 - i) * interval '1 minute'
  FROM generate_series(1, 60000) i;
INSERT INTO order_lines SELECT o, l, 1 + (o * 31 + l * 17) % 5000, 1 + l % 3, 9.99 FROM generate_series(1, 60000) o, generate_series(1, 3) l;
INSERT INTO sessions SELECT gen_random_uuid(), 1 + i % 20000, jsonb_build_object('cart', repeat('a', 150)), now() + interval '1 day' FROM generate_series(1, 3000) i;
INSERT INTO events (at, kind, payload)
  SELECT timestamptz '2026-10-01' + i * interval '1 minute', (ARRAY['view','view','view','click','buy'])[1 + i % 5], jsonb_build_object('page', i % 1000)
  FROM generate_series(0, 80000) i;
INSERT INTO import_log SELECT 'line ' || i FROM generate_series(1, 500) i;
