CREATE TABLE `changes` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`source` text,
	`kind` text NOT NULL,
	`summary` text NOT NULL,
	`patch` text NOT NULL,
	`system` text NOT NULL,
	`digests` text,
	`state` text NOT NULL,
	`undoes` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `changes_id_unique` ON `changes` (`id`);--> statement-breakpoint
CREATE INDEX `changes_undoes` ON `changes` (`undoes`);--> statement-breakpoint
CREATE INDEX `changes_state` ON `changes` (`state`);--> statement-breakpoint
CREATE TABLE `documents` (
	`name` text PRIMARY KEY NOT NULL,
	`image` text NOT NULL,
	`seq` integer NOT NULL,
	`written` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notices` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`detail` text NOT NULL,
	`data` text NOT NULL,
	`at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL,
	`resolved_at` integer,
	`resolved_by` text
);
--> statement-breakpoint
CREATE INDEX `notices_open` ON `notices` (`kind`,`subject`,`resolved_at`);--> statement-breakpoint
CREATE TABLE `windows` (
	`change` text PRIMARY KEY NOT NULL,
	`summary` text NOT NULL,
	`token_hash` text NOT NULL,
	`seconds` integer NOT NULL,
	`opened` integer NOT NULL,
	`left` integer NOT NULL
);
