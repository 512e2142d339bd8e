-- As before, but a participation counts only while it takes a place in the game. Players can create and delete pending participations
-- without limit, so these have no records.
CREATE OR REPLACE FUNCTION score_record(kind text, fact jsonb, OUT game_id integer, OUT key text, OUT at timestamptz, OUT value jsonb) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF fact IS NULL THEN
    RETURN;
  END IF;
  game_id := fact ->> 'game_id';
  key := fact ->> 'id';
  CASE kind
    WHEN 'solve' THEN
      key := (fact ->> 'participation_id') || ' ' || (fact ->> 'challenge_id');
      at := coalesce(fact ->> 'counted_at', fact ->> 'solved_at');
      value := jsonb_build_object('submission', fact -> 'submission_id', 'time', score_ms(fact ->> 'solved_at'));
    WHEN 'found' THEN
      key := (fact ->> 'participation_id') || ' ' || (fact ->> 'flag_id');
      at := coalesce(fact ->> 'counted_at', fact ->> 'found_at');
      value := jsonb_build_object('challenge', fact -> 'challenge_id', 'submission', fact -> 'submission_id',
        'time', score_ms(fact ->> 'found_at'));
    WHEN 'hint' THEN
      at := fact ->> 'bought_at';
      value := jsonb_build_object('participation', fact -> 'participation_id', 'challenge', fact -> 'challenge_id',
        'price', fact -> 'price', 'time', score_ms(fact ->> 'bought_at'));
    WHEN 'award' THEN
      at := fact ->> 'awarded_at';
      IF fact ->> 'revoked_at' IS NULL THEN
        value := jsonb_build_object('participation', fact -> 'participation_id', 'points', fact -> 'points',
          'time', score_ms(fact ->> 'awarded_at'));
      END IF;
    WHEN 'participation' THEN
      IF fact ->> 'status' IN ('Accepted', 'Suspended') THEN
        value := jsonb_build_object('team', fact -> 'team_id', 'status', fact -> 'status', 'division', fact -> 'division');
      END IF;
    WHEN 'challenge' THEN
      value := jsonb_build_object('title', fact -> 'title', 'category', fact -> 'category', 'isShown', fact -> 'is_shown',
        'deadline', score_ms(fact ->> 'deadline_at'), 'originalScore', fact -> 'original_score', 'minScoreRate', fact -> 'min_score_rate',
        'difficulty', fact -> 'difficulty', 'hasBloods', fact -> 'has_bloods', 'curve', fact -> 'curve',
        'isValueFixed', fact -> 'is_value_fixed');
    WHEN 'flag' THEN
      SELECT challenges.game_id INTO game_id FROM challenges WHERE challenges.id = (fact ->> 'challenge_id')::integer;
      IF FOUND AND fact ->> 'points' IS NOT NULL THEN
        value := jsonb_build_object('challenge', fact -> 'challenge_id', 'points', fact -> 'points');
      END IF;
    WHEN 'division' THEN
      value := jsonb_build_object('name', fact -> 'name', 'permissions', fact -> 'permissions');
    WHEN 'right' THEN
      SELECT divisions.game_id INTO game_id FROM divisions WHERE divisions.id = (fact ->> 'division_id')::integer;
      key := (fact ->> 'division_id') || ' ' || (fact ->> 'challenge_id');
      IF FOUND THEN
        value := jsonb_build_object('permissions', fact -> 'permissions');
      END IF;
    WHEN 'game' THEN
      game_id := fact ->> 'id';
      key := '';
      value := jsonb_build_object('start', score_ms(fact ->> 'starts_at'), 'end', score_ms(fact ->> 'ends_at'),
        'bloodBonus', fact -> 'blood_bonus', 'bloodPoints', fact -> 'blood_points');
  END CASE;
END
$$;--> statement-breakpoint
-- A board changes with a participation only if the board lists the team, or listed it before, as a frozen board does.
CREATE FUNCTION announce_board_participation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key)
  SELECT DISTINCT 'board ' || changed.game_id || ' ' || changed.team_id
  FROM (VALUES (OLD.game_id, OLD.team_id), (NEW.game_id, NEW.team_id)) AS changed (game_id, team_id)
  WHERE changed.game_id IS NOT NULL AND ('Accepted' IN (OLD.status, NEW.status) OR EXISTS (
    SELECT FROM score_records
    WHERE score_records.game_id = OLD.game_id AND kind = 'participation' AND score_records.key = OLD.id::text
  ));
  RETURN NULL;
END
$$;--> statement-breakpoint
DROP TRIGGER announce_board_update ON participations;--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER INSERT OR UPDATE OF game_id, team_id, status, division OR DELETE ON participations FOR EACH ROW EXECUTE FUNCTION announce_board_participation();
