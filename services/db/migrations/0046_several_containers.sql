ALTER TABLE "challenges" ADD COLUMN "first_container" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "further_containers" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "further_container_secrets" jsonb DEFAULT '{}'::jsonb NOT NULL;