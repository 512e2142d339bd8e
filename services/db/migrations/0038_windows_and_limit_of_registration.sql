ALTER TABLE "games" ADD COLUMN "registration_opens_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "registration_closes_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "team_limit" integer;--> statement-breakpoint
ALTER TABLE "participations" ADD COLUMN "registered_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "participations" ADD COLUMN "is_waiting" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_registration_check" CHECK ("games"."registration_closes_at" > "games"."registration_opens_at");--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_team_limit_check" CHECK ("games"."team_limit" > 0);--> statement-breakpoint
-- The previous version does not write this column. Its teams get the time of their insertion as the default.
UPDATE "participations" SET "registered_at" = "created_at";
