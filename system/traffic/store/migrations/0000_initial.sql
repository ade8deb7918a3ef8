CREATE TABLE `buckets` (
	`device` integer NOT NULL,
	`start` integer NOT NULL,
	`hours` integer NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`device`, `hours`, `start`)
);
--> statement-breakpoint
CREATE TABLE `devices` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_address_unique` ON `devices` (`address`);--> statement-breakpoint
CREATE TABLE `marks` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `names` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`seen` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `names_name_unique` ON `names` (`name`);--> statement-breakpoint
CREATE INDEX `names_seen` ON `names` (`seen`);--> statement-breakpoint
CREATE TABLE `networks` (
	`id` integer PRIMARY KEY NOT NULL,
	`asn` integer NOT NULL,
	`country` text NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `networks_asn_country` ON `networks` (`asn`,`country`);--> statement-breakpoint
CREATE TABLE `remotes` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`network` integer NOT NULL,
	`seen` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `remotes_address_unique` ON `remotes` (`address`);--> statement-breakpoint
CREATE INDEX `remotes_seen` ON `remotes` (`seen`);