CREATE TABLE "solve_corrections" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "solve_corrections_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"game_id" integer NOT NULL,
	"challenge_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"kind" text NOT NULL,
	"reason" text NOT NULL,
	"solved_at" timestamp with time zone NOT NULL,
	"submission_id" integer,
	"last_submission_id" integer,
	"author_id" uuid,
	"corrected_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone,
	"revoker_id" uuid,
	CONSTRAINT "solve_corrections_kind_check" CHECK ("solve_corrections"."kind" in ('Granted', 'TakenBack')),
	CONSTRAINT "solve_corrections_bound_check" CHECK (("solve_corrections"."kind" = 'TakenBack') = ("solve_corrections"."last_submission_id" is not null))
);
--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "is_granted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "is_void" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "solve_corrections" ADD CONSTRAINT "solve_corrections_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "solve_corrections" ADD CONSTRAINT "solve_corrections_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "solve_corrections" ADD CONSTRAINT "solve_corrections_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "solve_corrections" ADD CONSTRAINT "solve_corrections_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "solve_corrections" ADD CONSTRAINT "solve_corrections_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "solve_corrections" ADD CONSTRAINT "solve_corrections_revoker_id_users_id_fk" FOREIGN KEY ("revoker_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "solve_corrections_game_id_idx" ON "solve_corrections" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "solve_corrections_participation_id_challenge_id_idx" ON "solve_corrections" USING btree ("participation_id","challenge_id");--> statement-breakpoint
CREATE INDEX "solve_corrections_challenge_id_idx" ON "solve_corrections" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "solve_corrections_submission_id_idx" ON "solve_corrections" USING btree ("submission_id");--> statement-breakpoint
CREATE INDEX "solve_corrections_author_id_idx" ON "solve_corrections" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "solve_corrections_revoker_id_idx" ON "solve_corrections" USING btree ("revoker_id");