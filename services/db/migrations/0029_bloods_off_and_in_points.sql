ALTER TABLE "challenges" ADD COLUMN "has_bloods" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "blood_points" jsonb;--> statement-breakpoint
CREATE TRIGGER announce_board_bloods AFTER UPDATE OF has_bloods ON challenges FOR EACH ROW WHEN (OLD.has_bloods IS DISTINCT FROM NEW.has_bloods) EXECUTE FUNCTION announce_board('game_id');--> statement-breakpoint
CREATE TRIGGER announce_board_bloods AFTER UPDATE OF blood_points ON games FOR EACH ROW WHEN (OLD.blood_points IS DISTINCT FROM NEW.blood_points) EXECUTE FUNCTION announce_board('id');
