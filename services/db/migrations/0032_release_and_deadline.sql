ALTER TABLE "challenges" ADD COLUMN "release_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "is_released" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "is_shown" boolean GENERATED ALWAYS AS (is_enabled and is_released) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "deadline_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "challenges_release_at_idx" ON "challenges" USING btree ("release_at") WHERE not "challenges"."is_released";--> statement-breakpoint
CREATE TRIGGER announce_board_schedule AFTER UPDATE OF is_released, deadline_at ON challenges FOR EACH ROW WHEN ((OLD.is_released, OLD.deadline_at) IS DISTINCT FROM (NEW.is_released, NEW.deadline_at)) EXECUTE FUNCTION announce_board('game_id');
