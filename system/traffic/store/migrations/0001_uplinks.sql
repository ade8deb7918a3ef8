CREATE TABLE `uplinks` (
	`kind` text NOT NULL,
	`iface` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`kind`, `iface`, `at`)
);
