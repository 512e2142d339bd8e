-- A webhook that another transaction deletes gets no further events. The check of the foreign key would otherwise wait for the deletion,
-- and then the change of a player would fail.
CREATE OR REPLACE FUNCTION add_webhook_event(
  the_kind text, the_game integer, the_challenge integer, the_team integer, the_notice integer, the_solve integer, the_reason text,
  the_time timestamp with time zone
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO webhook_deliveries (webhook_id, kind, game_id, challenge_id, team_id, notice_id, solve_id, reason, occurred_at)
  SELECT id, the_kind, the_game, the_challenge, the_team, the_notice, the_solve, the_reason, the_time FROM webhooks
  WHERE is_enabled AND the_kind = ANY (kinds) AND (game_id IS NULL OR game_id = the_game)
  FOR KEY SHARE SKIP LOCKED
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION add_ticket_webhook_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, kind, game_id, challenge_id, team_id, ticket_id, occurred_at)
  SELECT id, 'Ticket', NEW.game_id, NEW.challenge_id,
    (SELECT team_id FROM participations WHERE participations.id = NEW.participation_id), NEW.id, NEW.opened_at
  FROM webhooks
  WHERE is_enabled AND 'Ticket' = ANY (kinds) AND (game_id IS NULL OR game_id = NEW.game_id)
  FOR KEY SHARE SKIP LOCKED;
  RETURN NULL;
END
$$;
