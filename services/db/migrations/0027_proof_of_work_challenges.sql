CREATE TABLE "pow_challenges" (
	"id" text PRIMARY KEY NOT NULL,
	"challenge" text NOT NULL,
	"difficulty" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "pow_challenges_created_at_idx" ON "pow_challenges" USING btree ("created_at");