CREATE TABLE `access_attempts` (
	`key` text PRIMARY KEY NOT NULL,
	`times` text NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `access_tokens` ADD `ended` integer DEFAULT false NOT NULL;