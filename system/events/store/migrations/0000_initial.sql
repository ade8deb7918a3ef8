CREATE TABLE `buckets` (
	`name` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`topic` text NOT NULL,
	`at` integer NOT NULL,
	`nanos` integer NOT NULL,
	`key` text,
	`data` text NOT NULL,
	`published` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_topic_at` ON `events` (`topic`,`at`,`nanos`);--> statement-breakpoint
CREATE INDEX `events_topic_key` ON `events` (`topic`,`key`) WHERE "events"."key" is not null;--> statement-breakpoint
CREATE TABLE `marks` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
