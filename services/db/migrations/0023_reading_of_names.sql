ALTER TABLE "users" ADD COLUMN "name_reading" text;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "name_reading" text;--> statement-breakpoint
CREATE UNIQUE INDEX "users_name_reading_key" ON "users" USING btree ("name_reading");--> statement-breakpoint
CREATE UNIQUE INDEX "teams_name_reading_key" ON "teams" USING btree ("name_reading");