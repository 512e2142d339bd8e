CREATE TABLE "found_flags" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "found_flags_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"game_id" integer NOT NULL,
	"challenge_id" integer NOT NULL,
	"participation_id" integer NOT NULL,
	"flag_id" integer NOT NULL,
	"submission_id" integer NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	"counted_at" timestamp with time zone,
	CONSTRAINT "found_flags_participation_id_flag_id_key" UNIQUE("participation_id","flag_id")
);
--> statement-breakpoint
ALTER TABLE "score_records" DROP CONSTRAINT "score_records_kind_check";--> statement-breakpoint
ALTER TABLE "flags" ADD COLUMN "points" integer;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "flag_id" integer;--> statement-breakpoint
ALTER TABLE "found_flags" ADD CONSTRAINT "found_flags_game_id_games_id_fk" FOREIGN KEY ("game_id") REFERENCES "public"."games"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "found_flags" ADD CONSTRAINT "found_flags_challenge_id_challenges_id_fk" FOREIGN KEY ("challenge_id") REFERENCES "public"."challenges"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "found_flags" ADD CONSTRAINT "found_flags_participation_id_participations_id_fk" FOREIGN KEY ("participation_id") REFERENCES "public"."participations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "found_flags" ADD CONSTRAINT "found_flags_flag_id_flags_id_fk" FOREIGN KEY ("flag_id") REFERENCES "public"."flags"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "found_flags" ADD CONSTRAINT "found_flags_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "found_flags_game_id_idx" ON "found_flags" USING btree ("game_id");--> statement-breakpoint
CREATE INDEX "found_flags_challenge_id_participation_id_idx" ON "found_flags" USING btree ("challenge_id","participation_id");--> statement-breakpoint
CREATE INDEX "found_flags_flag_id_idx" ON "found_flags" USING btree ("flag_id");--> statement-breakpoint
CREATE INDEX "found_flags_submission_id_idx" ON "found_flags" USING btree ("submission_id");--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_flag_id_flags_id_fk" FOREIGN KEY ("flag_id") REFERENCES "public"."flags"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "submissions_flag_id_idx" ON "submissions" USING btree ("flag_id") WHERE "submissions"."flag_id" is not null;--> statement-breakpoint
ALTER TABLE "flags" ADD CONSTRAINT "flags_points_check" CHECK ("flags"."points" >= 0);--> statement-breakpoint
ALTER TABLE "score_records" ADD CONSTRAINT "score_records_kind_check" CHECK ("score_records"."kind" in ('game', 'challenge', 'flag', 'division', 'right', 'participation', 'solve', 'found', 'award', 'hint'));--> statement-breakpoint
-- The board shows the points of flags, and the points of found flags are part of the score.
CREATE FUNCTION announce_board_flags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes (key)
  SELECT 'board ' || game_id FROM challenges WHERE id = coalesce(NEW.challenge_id, OLD.challenge_id);
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT ON flags FOR EACH ROW WHEN (NEW.points IS NOT NULL) EXECUTE FUNCTION announce_board_flags();--> statement-breakpoint
CREATE TRIGGER announce_board_update AFTER UPDATE OF points ON flags FOR EACH ROW WHEN (OLD.points IS DISTINCT FROM NEW.points) EXECUTE FUNCTION announce_board_flags();--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON flags FOR EACH ROW WHEN (OLD.points IS NOT NULL) EXECUTE FUNCTION announce_board_flags();--> statement-breakpoint
CREATE TRIGGER announce_board_insert AFTER INSERT ON found_flags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_before AFTER UPDATE ON found_flags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_after AFTER UPDATE ON found_flags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
CREATE TRIGGER announce_board_delete AFTER DELETE ON found_flags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_board_rows();--> statement-breakpoint
-- As before, with the kinds `flag` and `found`. A flag of a deleted challenge has no record.
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
      value := jsonb_build_object('team', fact -> 'team_id', 'status', fact -> 'status', 'division', fact -> 'division');
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
CREATE TRIGGER record_score_insert AFTER INSERT ON flags FOR EACH ROW WHEN (NEW.points IS NOT NULL) EXECUTE FUNCTION record_score('flag');--> statement-breakpoint
CREATE TRIGGER record_score_update AFTER UPDATE OF points ON flags FOR EACH ROW EXECUTE FUNCTION record_score('flag');--> statement-breakpoint
CREATE TRIGGER record_score_delete AFTER DELETE ON flags FOR EACH ROW WHEN (OLD.points IS NOT NULL) EXECUTE FUNCTION record_score('flag');--> statement-breakpoint
CREATE TRIGGER record_score AFTER INSERT OR DELETE OR UPDATE OF game_id, challenge_id, participation_id, flag_id, submission_id, found_at ON found_flags FOR EACH ROW EXECUTE FUNCTION record_score('found');
