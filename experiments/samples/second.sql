WITH o AS (INSERT INTO orders (customer_id, total) SELECT 1 + (random() * 19999)::int, 50 FROM generate_series(1, 20) RETURNING id)
  INSERT INTO order_lines SELECT id, l, 1 + (random() * 4999)::int, 1, 9.99 FROM o, generate_series(1, 3) l;
UPDATE orders SET state = 'paid', updated_at = now() WHERE id IN (SELECT 1 + (random() * 60000)::int FROM generate_series(1, 40));
UPDATE products SET stock = stock + 1, updated_at = now() WHERE id IN (SELECT 1 + (random() * 4999)::int FROM generate_series(1, 60));
UPDATE customers SET seen_at = now() WHERE id IN (SELECT 1 + (random() * 19999)::int FROM generate_series(1, 25));
UPDATE sessions SET expires_at = now() + interval '1 day' WHERE customer_id IN (SELECT 1 + (random() * 2999)::int FROM generate_series(1, 30));
DELETE FROM sessions WHERE token IN (SELECT token FROM sessions LIMIT 5);
INSERT INTO sessions SELECT gen_random_uuid(), 1 + (random() * 19999)::int, '{"cart": ""}', now() + interval '1 day' FROM generate_series(1, 5);
INSERT INTO events (at, kind, payload) SELECT timestamptz '2026-11-30' + random() * interval '1 hour', 'view', '{"page": 1}' FROM generate_series(1, 100);
INSERT INTO import_log SELECT 'line' FROM generate_series(1, 2);
SELECT count(*) FROM orders WHERE customer_id = 77;
SELECT count(*) FROM customers WHERE email = 'customer5@example.org';
