CREATE TABLE `access_token_uses` (
	`token` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
