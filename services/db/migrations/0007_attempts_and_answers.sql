ALTER TABLE "submissions" ADD COLUMN "attempt" uuid;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "answered_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_attempt_key" UNIQUE("attempt");--> statement-breakpoint
-- Whatever runs was answered by the version that started it.
UPDATE "instances" SET "answered_at" = "started_at" WHERE "ended_at" IS NULL;
