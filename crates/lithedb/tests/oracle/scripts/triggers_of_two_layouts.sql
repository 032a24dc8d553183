-- A trigger that two places fire, with NEW in other registers each, has a program for each.
CREATE TABLE product(id INTEGER PRIMARY KEY, cat, stock INTEGER, attrs TEXT, changed, checked TEXT AS (CASE WHEN json_valid(attrs) THEN attrs END))
INSERT INTO product(id, cat, stock, attrs) VALUES (10, 13, 0, '{"ok":true}')
CREATE TRIGGER one AFTER UPDATE ON product BEGIN UPDATE product SET changed = 'one' WHERE id = NEW.id AND NEW.stock <= 0; END
CREATE TRIGGER two AFTER UPDATE ON product BEGIN UPDATE product SET changed = 'two' WHERE id = NEW.id AND NEW.stock <= 0; END
UPDATE product SET attrs = json_set(attrs, '$.color', NULL) WHERE json_valid(attrs) AND product.cat <> 3
SELECT total_changes()
SELECT * FROM product
