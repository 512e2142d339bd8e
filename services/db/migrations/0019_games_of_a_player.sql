CREATE INDEX "solves_user_id_idx" ON "solves" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "participation_members_user_id_idx" ON "participation_members" USING btree ("user_id");