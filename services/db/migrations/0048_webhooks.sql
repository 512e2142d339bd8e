CREATE TABLE "webhook_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"webhook_id" uuid NOT NULL,
	"event_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"game_id" integer NOT NULL,
	"challenge_id" integer,
	"team_id" integer,
	"notice_id" integer,
	"solve_id" integer,
	"reason" text,
	"occurred_at" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'Pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempted_at" timestamp with time zone,
	"body" text,
	"status" integer,
	"answer" text,
	"error" text,
	CONSTRAINT "webhook_deliveries_state_check" CHECK ("webhook_deliveries"."state" in ('Pending', 'Delivered', 'Refused', 'Dropped'))
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"service" text NOT NULL,
	"address" text NOT NULL,
	"host" text NOT NULL,
	"authorization" text,
	"game_id" integer,
	"kinds" text[] NOT NULL,
	"is_for_organizers" boolean NOT NULL,
	"language" text NOT NULL,
	"template" text NOT NULL,
	"is_enabled" boolean NOT NULL,
	"disabled_reason" text,
	"signing_key" text NOT NULL,
	"previous_key" text,
	"previous_key_until" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"refusals" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"creator_id" uuid,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "webhooks_service_check" CHECK ("webhooks"."service" in ('Json', 'Discord', 'Slack', 'Telegram', 'Mattermost', 'Matrix'))
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_creator_id_users_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries" USING btree ("webhook_id","id") WHERE "webhook_deliveries"."state" = 'Pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_game_id_idx" ON "webhook_deliveries" USING btree ("game_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_phase_key" ON "webhook_deliveries" USING btree ("webhook_id","game_id","kind","occurred_at") WHERE "webhook_deliveries"."kind" in ('GameStarted', 'GameEnded', 'BoardFrozen');--> statement-breakpoint
CREATE INDEX "webhooks_game_id_idx" ON "webhooks" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "webhooks_creator_id_idx" ON "webhooks" USING btree ("creator_id");--> statement-breakpoint
-- Writes an event for each webhook that wants it, in the transaction of the change. Without webhooks this reads an empty table.
CREATE FUNCTION add_webhook_event(
  the_kind text, the_game integer, the_challenge integer, the_team integer, the_notice integer, the_solve integer, the_reason text,
  the_time timestamp with time zone
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO webhook_deliveries (webhook_id, kind, game_id, challenge_id, team_id, notice_id, solve_id, reason, occurred_at)
  SELECT id, the_kind, the_game, the_challenge, the_team, the_notice, the_solve, the_reason, the_time FROM webhooks
  WHERE is_enabled AND the_kind = ANY (kinds) AND (game_id IS NULL OR game_id = the_game)
$$;--> statement-breakpoint
CREATE FUNCTION add_notice_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_webhook_event(
    CASE NEW.type WHEN 'Normal' THEN 'Notice' WHEN 'NewChallenge' THEN 'ChallengeReleased' ELSE NEW.type END,
    NEW.game_id, NEW.challenge_id, NEW.team_id, NEW.id, NULL, NULL, NEW.published_at);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER notify_webhooks AFTER INSERT ON notices
  FOR EACH ROW WHEN (NEW.type <> 'NewHint') EXECUTE FUNCTION add_notice_webhook_event();--> statement-breakpoint
CREATE FUNCTION add_solve_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_webhook_event('Solve', NEW.game_id, NEW.challenge_id,
    (SELECT team_id FROM participations WHERE id = NEW.participation_id), NULL, NEW.id, NULL, NEW.solved_at);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER notify_webhooks AFTER INSERT ON solves
  FOR EACH ROW WHEN (NEW.counted_at IS NULL) EXECUTE FUNCTION add_solve_webhook_event();--> statement-breakpoint
CREATE FUNCTION add_cheating_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_webhook_event('SuspectedCheating', NEW.game_id,
    (SELECT challenge_id FROM submissions WHERE id = NEW.submission_id), NEW.team_id, NULL, NULL, NULL, NEW.occurred_at);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER notify_webhooks AFTER INSERT ON events
  FOR EACH ROW WHEN (NEW.type = 'CheatDetected') EXECUTE FUNCTION add_cheating_webhook_event();--> statement-breakpoint
CREATE FUNCTION add_instance_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_webhook_event('InstanceFailed', NEW.game_id, NEW.challenge_id,
    (SELECT team_id FROM participations WHERE id = NEW.participation_id), NULL, NULL, NEW.reason, NEW.ended_at);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER notify_webhooks AFTER UPDATE OF ended_at ON instances
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.reason IS NOT NULL)
  EXECUTE FUNCTION add_instance_webhook_event();
