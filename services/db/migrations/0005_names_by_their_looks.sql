ALTER TABLE "users" ADD COLUMN "name_skeleton" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "name_shape" text;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "name_skeleton" text;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "name_shape" text;--> statement-breakpoint
CREATE UNIQUE INDEX "users_name_skeleton_key" ON "users" USING btree ("name_skeleton");--> statement-breakpoint
CREATE UNIQUE INDEX "users_name_shape_key" ON "users" USING btree ("name_shape");--> statement-breakpoint
CREATE UNIQUE INDEX "teams_name_skeleton_key" ON "teams" USING btree ("name_skeleton");--> statement-breakpoint
CREATE UNIQUE INDEX "teams_name_shape_key" ON "teams" USING btree ("name_shape");