CREATE TABLE documents (id bigint PRIMARY KEY, title varchar(200) NOT NULL, summary text, body text, notes text, state char(10), seen int NOT NULL);
ALTER TABLE documents ALTER notes SET STORAGE EXTERNAL;
CREATE INDEX documents_title ON documents (title);
