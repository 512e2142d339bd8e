CREATE TABLE "rejudged_solves" (
	"challenge_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"submission_id" integer,
	"user_id" uuid,
	"solved_at" timestamp with time zone,
	CONSTRAINT "rejudged_solves_pkey" PRIMARY KEY("participation_id","challenge_id")
);
--> statement-breakpoint
CREATE TABLE "rejudged_submissions" (
	"submission_id" integer PRIMARY KEY NOT NULL,
	"challenge_id" integer NOT NULL,
	"before" text NOT NULL,
	"after" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rejudgings" (
	"challenge_id" integer PRIMARY KEY NOT NULL,
	"rejudged_at" timestamp with time zone NOT NULL,
	"game_ends_at" timestamp with time zone NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"newly_correct" integer DEFAULT 0 NOT NULL,
	"newly_incorrect" integer DEFAULT 0 NOT NULL,
	"gaining" integer DEFAULT 0 NOT NULL,
	"losing" integer DEFAULT 0 NOT NULL,
	"moving" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rejudged_solves" ADD CONSTRAINT "rejudged_solves_challenge_id_rejudgings_challenge_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."rejudgings"("challenge_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rejudged_solves" ADD CONSTRAINT "rejudged_solves_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rejudged_solves" ADD CONSTRAINT "rejudged_solves_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rejudged_solves" ADD CONSTRAINT "rejudged_solves_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rejudged_submissions" ADD CONSTRAINT "rejudged_submissions_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rejudged_submissions" ADD CONSTRAINT "rejudged_submissions_challenge_id_rejudgings_challenge_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."rejudgings"("challenge_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rejudgings" ADD CONSTRAINT "rejudgings_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rejudged_solves_challenge_id_idx" ON "rejudged_solves" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "rejudged_solves_submission_id_idx" ON "rejudged_solves" USING btree ("submission_id");--> statement-breakpoint
CREATE INDEX "rejudged_solves_user_id_idx" ON "rejudged_solves" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "rejudged_submissions_challenge_id_idx" ON "rejudged_submissions" USING btree ("challenge_id");