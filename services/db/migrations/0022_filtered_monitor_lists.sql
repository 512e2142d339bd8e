DROP INDEX "submissions_challenge_id_idx";--> statement-breakpoint
DROP INDEX "submissions_team_id_idx";--> statement-breakpoint
DROP INDEX "events_team_id_idx";--> statement-breakpoint
CREATE INDEX "submissions_game_id_status_id_idx" ON "submissions" USING btree ("game_id","status","id") WHERE "submissions"."status" <> 'WrongAnswer';--> statement-breakpoint
CREATE INDEX "submissions_challenge_id_id_idx" ON "submissions" USING btree ("challenge_id","id");--> statement-breakpoint
CREATE INDEX "submissions_team_id_id_idx" ON "submissions" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "events_game_id_type_id_idx" ON "events" USING btree ("game_id","type","id") WHERE "events"."type" <> 'FlagSubmit';--> statement-breakpoint
CREATE INDEX "events_team_id_id_idx" ON "events" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "events_occurred_at_idx" ON "events" USING brin ("occurred_at");