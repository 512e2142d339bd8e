ALTER TABLE "sessions" ADD COLUMN "id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "user_agent" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "last_used_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "last_address" text DEFAULT '0.0.0.0' NOT NULL;--> statement-breakpoint
-- The last use of a session changes often, and no cached row contains it.
DROP TRIGGER announce_update ON sessions;--> statement-breakpoint
CREATE TRIGGER announce_update AFTER UPDATE OF user_id, expires_at ON sessions FOR EACH ROW EXECUTE FUNCTION announce_change('session', 'token_hash');
