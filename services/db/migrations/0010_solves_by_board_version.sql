DROP INDEX "solves_game_id_idx";--> statement-breakpoint
ALTER TABLE "solves" ADD COLUMN "board_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "solves_game_id_board_version_idx" ON "solves" USING btree ("game_id","board_version");