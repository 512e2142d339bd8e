ALTER TABLE "games" ADD COLUMN "freeze_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "revealed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_freeze_check" CHECK ("games"."freeze_at" > "games"."starts_at" and "games"."freeze_at" <= "games"."ends_at");--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_reveal_check" CHECK ("games"."revealed_at" is null or ("games"."freeze_at" is not null and "games"."revealed_at" >= "games"."freeze_at"));--> statement-breakpoint
CREATE TRIGGER announce_board_freeze AFTER UPDATE OF freeze_at, revealed_at ON games FOR EACH ROW WHEN ((OLD.freeze_at, OLD.revealed_at) IS DISTINCT FROM (NEW.freeze_at, NEW.revealed_at)) EXECUTE FUNCTION announce_board('id');
