ALTER TABLE "challenges" ADD COLUMN "curve" text DEFAULT 'exponential' NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "is_value_fixed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "challenges" ADD CONSTRAINT "challenges_curve_check" CHECK ("challenges"."curve" in ('exponential', 'static', 'linear', 'parabola', 'rctf'));--> statement-breakpoint
CREATE TRIGGER announce_board_curves AFTER UPDATE OF curve, is_value_fixed ON challenges FOR EACH ROW WHEN ((OLD.curve, OLD.is_value_fixed) IS DISTINCT FROM (NEW.curve, NEW.is_value_fixed)) EXECUTE FUNCTION announce_board('game_id');
