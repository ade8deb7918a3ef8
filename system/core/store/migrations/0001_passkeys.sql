CREATE TABLE `access_passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user` text NOT NULL,
	`name` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`handle` text NOT NULL,
	`host` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `access_passkeys_user` ON `access_passkeys` (`user`);--> statement-breakpoint
ALTER TABLE `access_sessions` ADD `passkey` text;--> statement-breakpoint
ALTER TABLE `access_sessions` ADD `token` text;