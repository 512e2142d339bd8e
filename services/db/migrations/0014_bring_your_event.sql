CREATE TABLE "awards" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "awards_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"game_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"title" text NOT NULL,
	"points" integer NOT NULL,
	"awarded_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "challenge_sources" (
	"challenge_id" integer PRIMARY KEY NOT NULL,
	"game_id" integer NOT NULL,
	"name" text NOT NULL,
	"remembered" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"applied_at" timestamp with time zone,
	CONSTRAINT "challenge_sources_game_id_name_key" UNIQUE("game_id","name")
);
--> statement-breakpoint
CREATE TABLE "game_sources" (
	"game_id" integer PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"remembered" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"applied_at" timestamp with time zone,
	CONSTRAINT "game_sources_name_key" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "is_guarded" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "flags" ADD COLUMN "kind" text DEFAULT 'Exact' NOT NULL;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "key" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "awards" ADD CONSTRAINT "awards_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "awards" ADD CONSTRAINT "awards_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "challenge_sources" ADD CONSTRAINT "challenge_sources_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "challenge_sources" ADD CONSTRAINT "challenge_sources_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_sources" ADD CONSTRAINT "game_sources_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "awards_game_id_idx" ON "awards" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "awards_participation_id_idx" ON "awards" USING btree ("participation_id");--> statement-breakpoint
CREATE INDEX "users_imported_idx" ON "users" USING btree ("id") WHERE "users"."password_hash" like 'imported:%';--> statement-breakpoint
CREATE INDEX "submissions_submitted_at_idx" ON "submissions" USING brin ("submitted_at");--> statement-breakpoint
ALTER TABLE "flags" ADD CONSTRAINT "flags_kind_check" CHECK ("flags"."kind" in ('Exact', 'Caseless', 'Pattern'));--> statement-breakpoint
DROP TRIGGER announce_update ON challenges;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF game_id, title, content, category, type, hints, flag_template, is_enabled, file_name, attachment_id, container_image, memory_mb, cpu_tenths, storage_mb, exposed_port, capture_traffic, original_score, min_score_rate, difficulty, speaks, is_raw_http, has_own_certificate, is_guarded, container, container_secrets OR DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'id');
