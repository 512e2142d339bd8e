-- The previous version shows every text in challenges.hints to players. So hints with a price are in another column.
CREATE TABLE "hint_purchases" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hint_purchases_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"game_id" integer NOT NULL,
	"challenge_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"hint_id" uuid NOT NULL,
	"user_id" uuid,
	"price" integer NOT NULL,
	"bought_at" timestamp with time zone NOT NULL,
	CONSTRAINT "hint_purchases_participation_id_hint_id_key" UNIQUE("participation_id","hint_id"),
	CONSTRAINT "hint_purchases_price_check" CHECK ("hint_purchases"."price" >= 0)
);
--> statement-breakpoint
ALTER TABLE "challenges" ADD COLUMN "priced_hints" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "allows_debt" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "hint_purchases" ADD CONSTRAINT "hint_purchases_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hint_purchases" ADD CONSTRAINT "hint_purchases_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hint_purchases" ADD CONSTRAINT "hint_purchases_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hint_purchases" ADD CONSTRAINT "hint_purchases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hint_purchases_game_id_idx" ON "hint_purchases" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "hint_purchases_challenge_id_idx" ON "hint_purchases" USING btree ("challenge_id");--> statement-breakpoint
CREATE INDEX "hint_purchases_user_id_idx" ON "hint_purchases" USING btree ("user_id");
--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT ON hint_purchases REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_before AFTER UPDATE ON hint_purchases REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_after AFTER UPDATE ON hint_purchases REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON hint_purchases REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();
