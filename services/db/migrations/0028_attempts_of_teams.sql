DROP INDEX "submissions_participation_id_idx";--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "submission_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "cooldown_seconds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "submissions_participation_id_challenge_id_idx" ON "submissions" USING btree ("participation_id","challenge_id");--> statement-breakpoint
ALTER TABLE "challenges" ADD CONSTRAINT "challenges_attempts_check" CHECK ("challenges"."submission_limit" >= 0 and "challenges"."cooldown_seconds" >= 0);--> statement-breakpoint
-- Every change of a challenge enters the change feed, except accepted_count, which every solve raises.
DROP TRIGGER announce_update ON challenges;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE ON challenges FOR EACH ROW WHEN ((to_jsonb(OLD) - 'accepted_count') IS DISTINCT FROM (to_jsonb(NEW) - 'accepted_count')) EXECUTE FUNCTION announce_change('challenge', 'id');--> statement-breakpoint
CREATE TRIGGER announce_delete AFTER DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION announce_change('challenge', 'id');
