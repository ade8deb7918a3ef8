CREATE TABLE `access_deleted` (
	`digest` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_imports` (
	`digest` text PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_lockouts` (
	`source` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_otp` (
	`name` text PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`confirmed` integer NOT NULL,
	`always_on` integer NOT NULL,
	`last_step` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`user` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`expires` integer NOT NULL,
	`source` text NOT NULL,
	`agent` text NOT NULL,
	`tls` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_sessions_hash_unique` ON `access_sessions` (`hash`);--> statement-breakpoint
CREATE TABLE `access_settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`shown` text NOT NULL,
	`scopes` text NOT NULL,
	`expire` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `access_tokens_hash` ON `access_tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `access_users` (
	`name` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL,
	`epoch` text NOT NULL
);
--> statement-breakpoint
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
