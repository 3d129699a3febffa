CREATE TABLE stock (
    sku       text NOT NULL,
    warehouse smallint NOT NULL,
    quantity  integer NOT NULL,
    reserved  integer NOT NULL,
    price     numeric(10,2) NOT NULL,
    note      text,
    changed   timestamptz NOT NULL,
    CHECK (quantity >= reserved)
);
CREATE INDEX stock_warehouse ON stock (warehouse);
CREATE INDEX stock_sku ON stock (sku, warehouse);
ALTER TABLE stock REPLICA IDENTITY FULL;
