CREATE TABLE `access_recovery` (
	`name` text PRIMARY KEY NOT NULL,
	`hashes` text NOT NULL
);
