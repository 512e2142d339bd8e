CREATE TABLE "survey_answers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"game_id" integer NOT NULL,
	"challenge_id" integer,
	"user_id" uuid,
	"author_hash" text,
	"rating" integer,
	"text" text NOT NULL,
	CONSTRAINT "survey_answers_author_key" UNIQUE NULLS NOT DISTINCT("game_id","challenge_id","user_id","author_hash"),
	CONSTRAINT "survey_answers_author_check" CHECK (("survey_answers"."user_id" is null) <> ("survey_answers"."author_hash" is null)),
	CONSTRAINT "survey_answers_rating_check" CHECK ("survey_answers"."rating" between 1 and 5)
);
--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "survey" text DEFAULT 'Off' NOT NULL;--> statement-breakpoint
ALTER TABLE "survey_answers" ADD CONSTRAINT "survey_answers_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "survey_answers" ADD CONSTRAINT "survey_answers_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "survey_answers" ADD CONSTRAINT "survey_answers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "survey_answers_challenge_id_idx" ON "survey_answers" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "survey_answers_user_id_idx" ON "survey_answers" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_survey_check" CHECK ("games"."survey" in ('Off', 'Named', 'Anonymous'));