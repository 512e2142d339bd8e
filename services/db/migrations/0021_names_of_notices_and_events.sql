ALTER TABLE "events" ADD COLUMN "submission_id" integer;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "challenge_id" integer;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "team_id" integer;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_submission_id_idx" ON "events" USING btree ("submission_id") WHERE submission_id is not null;--> statement-breakpoint
CREATE INDEX "notices_challenge_id_idx" ON "notices" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "notices_team_id_idx" ON "notices" USING btree ("team_id");--> statement-breakpoint
UPDATE "events" SET "submission_id" = "submissions"."id" FROM "submissions" JOIN "cheats" ON "cheats"."submission_id" = "submissions"."id"
WHERE "events"."type" = 'CheatDetected' AND "events"."game_id" = "submissions"."game_id" AND "events"."team_id" = "submissions"."team_id"
  AND "events"."user_id" = "submissions"."user_id" AND "events"."occurred_at" = "submissions"."submitted_at";--> statement-breakpoint
-- A cheat event without a cheat is about a team or a challenge that was deleted.
DELETE FROM "events" WHERE "type" = 'CheatDetected' AND "submission_id" IS NULL;--> statement-breakpoint
-- A blood notice has the time of its solve. Names may have changed since.
UPDATE "notices" SET "challenge_id" = "solves"."challenge_id", "team_id" = "participations"."team_id"
FROM "solves" JOIN "participations" ON "participations"."id" = "solves"."participation_id" JOIN "challenges" ON "challenges"."id" = "solves"."challenge_id"
WHERE "notices"."type" LIKE '%Blood' AND "notices"."game_id" = "solves"."game_id" AND "notices"."published_at" = "solves"."solved_at"
  AND ("notices"."values"[2] = "challenges"."title" OR NOT EXISTS (
    SELECT FROM "solves" AS "other"
    WHERE "other"."game_id" = "solves"."game_id" AND "other"."solved_at" = "solves"."solved_at" AND "other"."id" <> "solves"."id"));--> statement-breakpoint
-- Finds team and challenge of a generated notice by name: for old notices, and for those that the previous version still writes.
CREATE FUNCTION resolve_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.challenge_id := (
    SELECT id FROM challenges WHERE game_id = NEW.game_id AND title = NEW.values[cardinality(NEW.values)]
    ORDER BY is_enabled DESC, id LIMIT 1);
  IF NEW.type LIKE '%Blood' THEN
    NEW.team_id := (SELECT id FROM teams WHERE name = NEW.values[1]);
  END IF;
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER resolve_names BEFORE INSERT OR UPDATE ON "notices" FOR EACH ROW
WHEN (NEW.type <> 'Normal' AND NEW.challenge_id IS NULL) EXECUTE FUNCTION resolve_notice();--> statement-breakpoint
UPDATE "notices" SET "type" = "type" WHERE "type" <> 'Normal' AND "challenge_id" IS NULL;
