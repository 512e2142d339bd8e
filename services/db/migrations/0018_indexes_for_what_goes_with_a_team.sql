CREATE INDEX "captures_participation_id_idx" ON "captures" USING btree ("participation_id");--> statement-breakpoint
CREATE INDEX "cheats_submitter_id_idx" ON "cheats" USING btree ("submitter_id");--> statement-breakpoint
CREATE INDEX "cheats_owner_id_idx" ON "cheats" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "events_team_id_idx" ON "events" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "submissions_team_id_idx" ON "submissions" USING btree ("team_id");