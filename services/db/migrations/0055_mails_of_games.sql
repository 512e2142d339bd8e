ALTER TABLE "mail_queue" ADD COLUMN "unsubscribe_url" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "has_game_mail" boolean DEFAULT true NOT NULL;