ALTER TABLE "challenges" ADD COLUMN "container" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "container_secrets" jsonb DEFAULT '{}'::jsonb NOT NULL;