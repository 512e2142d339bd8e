ALTER TABLE "awards" ADD COLUMN "is_reason_shown" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "awards" ADD COLUMN "author_id" uuid;--> statement-breakpoint
ALTER TABLE "awards" ADD COLUMN "revoked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "awards" ADD COLUMN "revoker_id" uuid;--> statement-breakpoint
ALTER TABLE "awards" ADD CONSTRAINT "awards_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "awards" ADD CONSTRAINT "awards_revoker_id_users_id_fk" FOREIGN KEY ("revoker_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "awards_author_id_idx" ON "awards" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "awards_revoker_id_idx" ON "awards" USING btree ("revoker_id");