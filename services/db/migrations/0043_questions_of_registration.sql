CREATE TABLE "registration_answers" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "registration_answers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"game_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"user_id" uuid,
	"question_id" uuid NOT NULL,
	"values" text[] DEFAULT '{}' NOT NULL,
	"answered_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "registration_files" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"game_id" integer NOT NULL,
	"uploader_id" uuid,
	"answer_id" integer,
	"file_hash" text NOT NULL,
	"name" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"uploaded_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "questions" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "registration_answers" ADD CONSTRAINT "registration_answers_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "registration_answers" ADD CONSTRAINT "registration_answers_member_fk" FOREIGN KEY ("game_id","user_id") REFERENCES "public"."participation_members"("game_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "registration_files" ADD CONSTRAINT "registration_files_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "registration_files" ADD CONSTRAINT "registration_files_uploader_id_users_id_fk" FOREIGN KEY ("uploader_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "registration_files" ADD CONSTRAINT "registration_files_answer_id_registration_answers_id_fk" FOREIGN KEY ("answer_id") REFERENCES "public"."registration_answers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "registration_answers_member_idx" ON "registration_answers" USING btree ("game_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "registration_answers_team_key" ON "registration_answers" USING btree ("participation_id","question_id") WHERE "registration_answers"."user_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "registration_answers_member_key" ON "registration_answers" USING btree ("participation_id","question_id","user_id") WHERE "registration_answers"."user_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "registration_files_answer_id_key" ON "registration_files" USING btree ("answer_id");--> statement-breakpoint
CREATE INDEX "registration_files_game_id_idx" ON "registration_files" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "registration_files_uploader_id_idx" ON "registration_files" USING btree ("uploader_id");--> statement-breakpoint
CREATE INDEX "registration_files_file_hash_idx" ON "registration_files" USING btree ("file_hash");
--> statement-breakpoint
-- Releases the content of deleted files, also if a team, a user or a game is deleted. The hourly sweep deletes released content.
CREATE FUNCTION release_registration_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE files SET reference_count = greatest(files.reference_count - released.uses, 0)
  FROM (SELECT file_hash, count(*)::integer AS uses FROM deleted GROUP BY file_hash) AS released
  WHERE files.hash = released.file_hash;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER release_files AFTER DELETE ON registration_files REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION release_registration_files();
