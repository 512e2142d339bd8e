CREATE TABLE "api_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"creator_id" uuid NOT NULL,
	"scope" text NOT NULL,
	"game_id" integer,
	"is_revoked" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_tokens_scope_check" CHECK ("api_tokens"."scope" in ('ReadGame', 'WriteChallenges', 'WritePlatform'))
);
--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "started_by" uuid;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_creator_id_users_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_tokens_creator_id_idx" ON "api_tokens" USING btree ("creator_id");--> statement-breakpoint
CREATE INDEX "api_tokens_game_id_idx" ON "api_tokens" USING btree ("game_id");--> statement-breakpoint
ALTER TABLE "instances" ADD CONSTRAINT "instances_started_by_users_id_fk" FOREIGN KEY ("started_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
-- Not for last_used_at, which every use moves.
CREATE TRIGGER announce_update AFTER UPDATE OF name, scope, game_id, is_revoked, expires_at OR DELETE ON api_tokens FOR EACH ROW EXECUTE FUNCTION announce_change('token', 'id');
