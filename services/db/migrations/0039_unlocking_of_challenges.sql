CREATE TABLE "unlocks" (
	"game_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"challenge_id" integer NOT NULL,
	"unlocked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unlocks_pkey" PRIMARY KEY("participation_id","challenge_id")
);
--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "unlock_rule" jsonb;--> statement-breakpoint
ALTER TABLE "unlocks" ADD CONSTRAINT "unlocks_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unlocks" ADD CONSTRAINT "unlocks_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unlocks" ADD CONSTRAINT "unlocks_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "unlocks_game_id_idx" ON "unlocks" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "unlocks_challenge_id_idx" ON "unlocks" USING btree ("challenge_id");
--> statement-breakpoint
CREATE TRIGGER announce_board_unlocking AFTER UPDATE OF unlock_rule ON challenges FOR EACH ROW WHEN (OLD.unlock_rule IS DISTINCT FROM NEW.unlock_rule) EXECUTE FUNCTION announce_board('game_id');--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT ON unlocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_before AFTER UPDATE ON unlocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_after AFTER UPDATE ON unlocks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON unlocks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();
