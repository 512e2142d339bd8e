CREATE TABLE "final_boards" (
	"game_id" integer PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "final_standings" (
	"game_id" integer NOT NULL,
	"team_id" integer NOT NULL,
	"rank" integer NOT NULL,
	"teams" integer NOT NULL,
	"division_rank" integer,
	"division_teams" integer,
	"score" integer NOT NULL,
	"solved" integer NOT NULL,
	"last_solve_at" timestamp with time zone,
	CONSTRAINT "final_standings_pkey" PRIMARY KEY("team_id","game_id")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "has_public_page" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "has_public_page" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "final_boards" ADD CONSTRAINT "final_boards_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "final_standings" ADD CONSTRAINT "final_standings_game_id_final_boards_game_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."final_boards"("game_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "final_standings" ADD CONSTRAINT "final_standings_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "final_standings_game_id_idx" ON "final_standings" USING btree ("game_id");