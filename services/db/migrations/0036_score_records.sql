-- The history of everything that changes scores. The triggers are created before the present state is copied: they lock the tables
-- against writes of the previous version until the commit, so no change is missed. The last record of a key wins. Two transactions
-- with the same key wait for each other on its row, so the ids of its records are in the order of the commits.
CREATE TABLE "score_records" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "score_records_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"game_id" integer NOT NULL,
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"sequence" integer,
	"time" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"value" jsonb,
	CONSTRAINT "score_records_kind_check" CHECK ("score_records"."kind" in ('game', 'challenge', 'division', 'right', 'participation', 'solve', 'award', 'hint'))
);
--> statement-breakpoint
ALTER TABLE "solves" ADD COLUMN "counted_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "score_records_game_id_transaction_idx" ON "score_records" USING btree ("game_id","transaction");--> statement-breakpoint
CREATE UNIQUE INDEX "score_records_game_id_sequence_key" ON "score_records" USING btree ("game_id","sequence");--> statement-breakpoint
CREATE INDEX "score_records_unnumbered_idx" ON "score_records" USING btree ("game_id") WHERE "score_records"."sequence" is null;--> statement-breakpoint
CREATE FUNCTION score_ms(instant text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT floor(extract(epoch FROM instant::timestamptz) * 1000)::bigint
$$;--> statement-breakpoint
-- Returns the record of a row, given as JSON. `at` is the time of a new row, null for the present time. `value` is null if the row is
-- null or does not count. An override of a deleted division has no record.
CREATE FUNCTION score_record(kind text, fact jsonb, OUT game_id integer, OUT key text, OUT at timestamptz, OUT value jsonb) LANGUAGE plpgsql STABLE AS $$
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
      value := jsonb_build_object('team', fact -> 'team_id', 'status', fact -> 'status', 'division', fact -> 'division');
    WHEN 'challenge' THEN
      value := jsonb_build_object('title', fact -> 'title', 'category', fact -> 'category', 'isShown', fact -> 'is_shown',
        'deadline', score_ms(fact ->> 'deadline_at'), 'originalScore', fact -> 'original_score', 'minScoreRate', fact -> 'min_score_rate',
        'difficulty', fact -> 'difficulty', 'hasBloods', fact -> 'has_bloods', 'curve', fact -> 'curve',
        'isValueFixed', fact -> 'is_value_fixed');
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
-- Appends a record, unless the game is being deleted. The setting `capstan.recorded_at` replaces the present time, as in an import of a
-- finished game.
CREATE FUNCTION append_score_record(game_id integer, kind text, key text, at timestamptz, value jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO score_records (game_id, time, kind, key, value)
  SELECT $1, coalesce($4, nullif(current_setting('capstan.recorded_at', true), '')::timestamptz, clock_timestamp()), $2, $3, $5
  WHERE EXISTS (SELECT FROM games WHERE games.id = $1);
END
$$;--> statement-breakpoint
-- Records a change of a row. Argument: the kind.
CREATE FUNCTION record_score() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  earlier record := score_record(TG_ARGV[0], to_jsonb(OLD));
  later record := score_record(TG_ARGV[0], to_jsonb(NEW));
  is_same_key boolean := (earlier.game_id, earlier.key) IS NOT DISTINCT FROM (later.game_id, later.key);
BEGIN
  IF earlier.value IS NOT NULL AND (later.value IS NULL OR NOT is_same_key) THEN
    PERFORM append_score_record(earlier.game_id, TG_ARGV[0], earlier.key, NULL, NULL);
  END IF;
  IF later.value IS NOT NULL AND NOT (is_same_key AND earlier.value IS NOT DISTINCT FROM later.value) THEN
    PERFORM append_score_record(later.game_id, TG_ARGV[0], later.key, CASE WHEN TG_OP = 'INSERT' THEN later.at END, later.value);
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION protect_score_record() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.sequence IS NULL AND to_jsonb(OLD) - 'sequence' = to_jsonb(NEW) - 'sequence' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM games WHERE games.id = OLD.game_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'Score records are append-only';
END
$$;--> statement-breakpoint
-- Fires after the cascades of the deletion, because triggers fire in the order of their names. The cascades wait for transactions that
-- change rows of the game, so the records of these transactions are deleted, too.
CREATE FUNCTION delete_score_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM score_records WHERE score_records.game_id = OLD.id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER score_records_delete AFTER DELETE ON games FOR EACH ROW EXECUTE FUNCTION delete_score_records();--> statement-breakpoint
CREATE TRIGGER protect_records BEFORE UPDATE OR DELETE ON score_records FOR EACH ROW EXECUTE FUNCTION protect_score_record();--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR UPDATE OF starts_at, ends_at, blood_bonus, blood_points ON games FOR EACH ROW EXECUTE FUNCTION record_score('game');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, title, category, is_enabled, is_released, deadline_at, original_score, min_score_rate, difficulty, has_bloods, curve, is_value_fixed ON challenges FOR EACH ROW EXECUTE FUNCTION record_score('challenge');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, name, permissions ON divisions FOR EACH ROW EXECUTE FUNCTION record_score('division');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR UPDATE OR DELETE ON division_challenges FOR EACH ROW EXECUTE FUNCTION record_score('right');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, team_id, status, division ON participations FOR EACH ROW EXECUTE FUNCTION record_score('participation');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, challenge_id, participation_id, submission_id, solved_at ON solves FOR EACH ROW EXECUTE FUNCTION record_score('solve');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, participation_id, points, awarded_at, revoked_at ON awards FOR EACH ROW EXECUTE FUNCTION record_score('award');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, challenge_id, participation_id, price, bought_at ON hint_purchases FOR EACH ROW EXECUTE FUNCTION record_score('hint');--> statement-breakpoint
-- Definitions of existing games apply from the start of the game. A team applies from its registration, or from the start if it was
-- imported after the end.
INSERT INTO score_records (game_id, time, kind, key, value)
SELECT found.game_id, found.time, found.kind, found.key, found.value
FROM (
  SELECT 1 AS place, 'game' AS kind, record.*, least(games.starts_at, games.created_at) AS time
  FROM games CROSS JOIN score_record('game', to_jsonb(games)) AS record
  UNION ALL
  SELECT 2, 'challenge', record.*, least(games.starts_at, games.created_at)
  FROM challenges JOIN games ON games.id = challenges.game_id CROSS JOIN score_record('challenge', to_jsonb(challenges)) AS record
  UNION ALL
  SELECT 3, 'division', record.*, least(games.starts_at, games.created_at)
  FROM divisions JOIN games ON games.id = divisions.game_id CROSS JOIN score_record('division', to_jsonb(divisions)) AS record
  UNION ALL
  SELECT 4, 'right', record.*, least(games.starts_at, games.created_at)
  FROM division_challenges CROSS JOIN score_record('right', to_jsonb(division_challenges)) AS record
  JOIN games ON games.id = record.game_id
  UNION ALL
  SELECT 5, 'participation', record.*,
    CASE WHEN participations.created_at < games.ends_at THEN participations.created_at ELSE games.starts_at END
  FROM participations JOIN games ON games.id = participations.game_id
  CROSS JOIN score_record('participation', to_jsonb(participations)) AS record
  UNION ALL
  SELECT 6, 'award', record.*, record.at FROM awards CROSS JOIN score_record('award', to_jsonb(awards)) AS record
  UNION ALL
  SELECT 7, 'hint', record.*, record.at FROM hint_purchases CROSS JOIN score_record('hint', to_jsonb(hint_purchases)) AS record
  UNION ALL
  SELECT 8, 'solve', record.*, record.at FROM solves CROSS JOIN score_record('solve', to_jsonb(solves)) AS record
) AS found
WHERE found.value IS NOT NULL
ORDER BY found.time, found.place, found.key;
