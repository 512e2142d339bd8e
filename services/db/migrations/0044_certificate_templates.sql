CREATE TABLE "certificate_templates" (
	"game_id" integer PRIMARY KEY NOT NULL,
	"is_enabled" boolean DEFAULT false NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"text" text DEFAULT '' NOT NULL,
	"participation_text" text DEFAULT '' NOT NULL,
	"signer" text DEFAULT '' NOT NULL,
	"paper" text DEFAULT 'A4' NOT NULL,
	"orientation" text DEFAULT 'landscape' NOT NULL,
	"language" text DEFAULT 'en-US' NOT NULL,
	"background_hash" text,
	"logo_hash" text,
	"signature_hash" text,
	CONSTRAINT "certificate_templates_paper_check" CHECK ("certificate_templates"."paper" in ('A4', 'Letter')),
	CONSTRAINT "certificate_templates_orientation_check" CHECK ("certificate_templates"."orientation" in ('landscape', 'portrait'))
);
--> statement-breakpoint
ALTER TABLE "certificate_templates" ADD CONSTRAINT "certificate_templates_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;