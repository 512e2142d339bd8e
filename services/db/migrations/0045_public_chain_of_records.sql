-- Records that are public get numbers in a chain, which is sealed by signatures of the key of the game.
CREATE TABLE "board_seals" (
	"game_id" integer NOT NULL,
	"sequence" integer NOT NULL,
	"hash" text NOT NULL,
	"signature" text NOT NULL,
	"sealed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "board_seals_pkey" PRIMARY KEY("game_id","sequence")
);
--> statement-breakpoint
DROP INDEX "score_records_game_id_sequence_key";--> statement-breakpoint
ALTER TABLE "board_seals" ADD CONSTRAINT "board_seals_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "score_records_chain_key" ON "score_records" USING btree ("game_id","sequence") WHERE "score_records"."sequence" > 0;--> statement-breakpoint
CREATE INDEX "score_records_chain_rows_idx" ON "score_records" USING btree ("game_id","kind","key","id") WHERE "score_records"."sequence" > 0;--> statement-breakpoint
CREATE FUNCTION protect_board_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM games WHERE games.id = OLD.game_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'Board seals are append-only';
END
$$;--> statement-breakpoint
CREATE TRIGGER protect_seals BEFORE UPDATE OR DELETE ON board_seals FOR EACH ROW EXECUTE FUNCTION protect_board_seal();
